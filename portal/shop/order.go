package shop

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/samples"
	"portico/store"
)

const (
	// MaxQuantity is the largest quantity of one order.
	MaxQuantity = 9999
	// OrdersShown is how many orders a page of a list has.
	OrdersShown = 30
)

// OrderInput orders a quantity of one product. Form is the id of the form: the same form sent again places no second
// order. Seen is the CatalogueProduct.Seen that the page showed; "" is not compared. Again confirms OrderedJustNow.
type OrderInput struct {
	ProductID int64  `form:"product_id"`
	Quantity  string `form:"quantity"`
	Form      string `form:"form"`
	Seen      string `form:"seen"`
	Again     bool   `form:"again"`
}

// OrderedAgain is how long the same quantity of the same product counts as a possible repetition. A person who missed
// the response and opened the page again sends a form with another id.
const OrderedAgain = 5 * time.Minute

// NewForm returns a random id for a form. The operation behind the form is done once for each id.
func NewForm() string { return access.RequestString() }

// PlaceOrder orders for the customer of a shop account and takes the goods out of stock. It refuses and writes nothing:
//
//   - under "quantity": QuantityRequired for a number that is not from 1 to MaxQuantity, StockShort, and
//     OrderedJustNow when the account ordered the same within OrderedAgain
//   - under "seen": PriceChanged or ProductChanged, when the product differs from what the page showed
//   - under "product_id": ProductGone, for a product that the company does not sell
//
// The person can confirm OrderedJustNow and a changed product by sending the form again. When both apply, one refusal
// has both.
func (s *Shop) PlaceOrder(ctx context.Context, here access.Landing, in OrderInput) (store.Order, error) {
	m := here.Member
	if err := requireCustomer(m); err != nil {
		return store.Order{}, err
	}
	quantity, err := strconv.ParseInt(strings.TrimSpace(in.Quantity), 10, 32)
	if err != nil || quantity < 1 || quantity > MaxQuantity {
		return store.Order{}, access.Invalid(access.Fields{"quantity": access.QuantityRequired})
	}
	form := s.core.Sealing.Tag("order form", access.Decimal(m.ID)+"\x00"+access.Truncated(in.Form, access.MaxTyped))
	if in.Form == "" {
		form = NewForm()
	}
	return s.place(ctx, m, form, func(tx *store.DB, _ *store.Order) ([]store.OrderLine, error) {
		product, err := tx.Products.ByID(ctx, m.CompanyID, in.ProductID)
		if errors.Is(err, store.ErrNotFound) || err == nil && product.State != "on" {
			return nil, access.Invalid(access.Fields{"product_id": access.ProductGone})
		}
		if err != nil {
			return nil, err
		}
		if err := s.askBeforeOrder(ctx, tx, m, in, product, quantity); err != nil {
			return nil, err
		}
		if product.Stock < quantity {
			return nil, access.Invalid(access.Fields{"quantity": access.StockShort})
		}
		return []store.OrderLine{{Line: 1, ProductID: product.ID, Quantity: quantity, Price: product.Price}}, nil
	})
}

// place places an order and takes its goods out of stock, in one transaction, in which linesOf returns the checked
// lines of the order and may change the order. Orders of a company wait for each other, so the stock stays as linesOf
// read it. It returns the order of the same form if there is one.
func (s *Shop) place(
	ctx context.Context, m store.Member, form string,
	linesOf func(tx *store.DB, order *store.Order) ([]store.OrderLine, error),
) (store.Order, error) {
	var order store.Order
	err := s.core.DB.Tx(ctx, func(tx *store.DB) error {
		number, err := tx.Orders.NextNumber(ctx, m.CompanyID)
		if err != nil {
			return err
		}
		if order, err = tx.Orders.ByForm(ctx, m.CompanyID, form); !errors.Is(err, store.ErrNotFound) {
			return errors.Join(err, core.ErrProofUsed)
		}
		order = store.Order{
			CompanyID: m.CompanyID, Number: number, ClientID: m.ClientID, AccountID: m.ID, Form: form,
			State: store.OrderNew, PlacedAt: store.At(s.core.Now()),
		}
		lines, err := linesOf(tx, &order)
		if err != nil {
			return err
		}
		for _, l := range lines {
			order.Total += l.Quantity * l.Price
			if err := tx.Products.TakeStock(ctx, m.CompanyID, l.ProductID, l.Quantity); err != nil {
				return err
			}
		}
		if order.ID, err = tx.Orders.Add(ctx, order); err != nil {
			return err
		}
		for _, l := range lines {
			l.OrderID = order.ID
			if err := tx.Orders.AddLine(ctx, l); err != nil {
				return err
			}
		}
		return s.core.Access.Event(ctx, tx, "order_placed", m, access.Decimal(number))
	})
	if errors.Is(err, core.ErrProofUsed) && order.ID != 0 {
		return order, nil
	}
	return order, err
}

// askBeforeOrder refuses an order that the person has to confirm first: the product differs from what the page showed,
// or the account ordered the same within OrderedAgain.
func (s *Shop) askBeforeOrder(
	ctx context.Context, tx *store.DB, m store.Member, in OrderInput, product store.Product, quantity int64,
) error {
	questions := access.Fields{}
	if problem := changedSince(productSeen(product), in.Seen); problem != "" {
		questions["seen"] = problem
	}
	if !in.Again {
		again, err := tx.Orders.OrderedSince(ctx, m.CompanyID, m.ID, product.ID, quantity,
			store.At(s.core.Now().Add(-OrderedAgain)))
		if err != nil {
			return err
		}
		if again {
			questions["quantity"] = access.OrderedJustNow
		}
	}
	return access.Invalid(questions)
}

// OrderList is a page of orders, the newest first. The next page has the orders with a smaller number than Older; 0
// means that there is no next page.
type OrderList struct {
	Orders []store.Order
	Older  int64
}

// OwnOrders reads the orders of a shop account's customer with a smaller number than before; 0 starts with the newest.
func (s *Shop) OwnOrders(ctx context.Context, here access.Landing, before int64) (list OrderList, err error) {
	m := here.Member
	list.Orders, err = s.core.DB.ForLists(ctx).Orders.OfClient(
		ctx, m.CompanyID, m.ClientID, cmp.Or(before, store.NewestOrder), OrdersShown+1,
	)
	if len(list.Orders) > OrdersShown {
		list.Orders = list.Orders[:OrdersShown]
		list.Older = list.Orders[OrdersShown-1].Number
	}
	return list, err
}

// OrderDetail is an order with its lines and the names of the people who placed and confirmed it; "" when no account
// did.
type OrderDetail struct {
	store.Order
	Lines       []store.OrderLine
	PlacedBy    string
	ConfirmedBy string
}

// OwnOrder reads an order of a shop account's customer; NotFound for any other order.
func (s *Shop) OwnOrder(ctx context.Context, here access.Landing, id int64, lang string) (OrderDetail, error) {
	detail, err := s.Order(ctx, here, id, lang)
	if err != nil {
		return OrderDetail{}, err
	}
	if detail.ClientID != here.Member.ClientID {
		return OrderDetail{}, access.NotFound
	}
	return detail, nil
}

// Order reads an order of the account's company. It refuses with NotFound another company's order.
func (s *Shop) Order(ctx context.Context, here access.Landing, id int64, lang string) (OrderDetail, error) {
	c := here.Member.Company
	order, err := s.core.DB.Orders.ByID(ctx, c.ID, id)
	if err != nil {
		return OrderDetail{}, s.core.Access.RefuseMissing(ctx, here, "order", err)
	}
	detail := OrderDetail{Order: order}
	if detail.Lines, err = s.core.DB.Orders.Lines(ctx, c.ID, id); err != nil {
		return OrderDetail{}, err
	}
	samples.WordsFor(c, lang).Lines(detail.Lines)
	for account, name := range map[int64]*string{
		order.AccountID: &detail.PlacedBy, order.ConfirmedBy: &detail.ConfirmedBy,
	} {
		m, err := s.core.DB.Accounts.ByID(ctx, c.ID, account)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return OrderDetail{}, err
		}
		*name = m.Name
	}
	return detail, nil
}
