package portal

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"portico/store"
)

const (
	// MaxQuantity is the largest quantity of one order.
	MaxQuantity = 9999
	// OrdersShown is how many orders a page of a list has.
	OrdersShown = 30
)

// CatalogueCategory is a category with what is sold in it.
type CatalogueCategory struct {
	store.Category
	Products []CatalogueProduct
}

// CatalogueProduct is a product as a customer sees it. Seen is the tag of the product and its price, for OrderInput.
type CatalogueProduct struct {
	store.Product
	Seen string
}

// Catalogue reads what a company sells. Samples are in the reader's language. Categories without products are left out.
func (p *Portal) Catalogue(ctx context.Context, here Landing, lang string) ([]CatalogueCategory, error) {
	c := here.Member.Company
	categories, err := p.db.Categories(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	products, err := p.db.Products(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	words := wordsFor(c, lang)
	of := map[int64][]CatalogueProduct{}
	for _, product := range products {
		seen := productSeen(product)
		words.product(product.Sample, &product.Name, &product.Spec, &product.Unit)
		of[product.CategoryID] = append(of[product.CategoryID], CatalogueProduct{product, seen})
	}
	var all []CatalogueCategory
	for _, category := range categories {
		if words.category(&category); len(of[category.ID]) > 0 {
			all = append(all, CatalogueCategory{category, of[category.ID]})
		}
	}
	return all, nil
}

// productSeen returns the tag of a product and its price, "3280-5f2c0a1b": the price in cents and a hash of the name,
// size and unit. It uses the stored values, so that it is the same in every language.
func productSeen(k store.Product) string {
	return decimal(k.Price) + "-" + seenTag([]string{k.Name, k.Spec, k.Unit, k.Sample})[:8]
}

// PriceSeen reads the price in cents from OrderInput.Seen; ok is false when there is none.
func PriceSeen(seen string) (cents int64, ok bool) {
	price, _, _ := strings.Cut(seen, "-")
	cents, err := strconv.ParseInt(price, 10, 64)
	return cents, err == nil && cents >= 0
}

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
func NewForm() string { return RequestString() }

// PlaceOrder orders for the customer of a shop account and takes the goods out of stock. It refuses and writes nothing:
//
//   - under "quantity": QuantityRequired for a number that is not from 1 to MaxQuantity, StockShort, and
//     OrderedJustNow when the account ordered the same within OrderedAgain
//   - under "seen": PriceChanged or ProductChanged, when the product differs from what the page showed
//   - under "product_id": ProductGone, for a product that the company does not sell
//
// The person can confirm OrderedJustNow and a changed product by sending the form again. When both apply, one refusal
// has both.
func (p *Portal) PlaceOrder(ctx context.Context, here Landing, in OrderInput) (store.Order, error) {
	m := here.Member
	if m.Side != store.Shop {
		return store.Order{}, NotFound
	}
	if m.ClientID == 0 {
		return store.Order{}, &Refused{Refusal: DataAbnormal}
	}
	quantity, err := strconv.ParseInt(strings.TrimSpace(in.Quantity), 10, 32)
	if err != nil || quantity < 1 || quantity > MaxQuantity {
		return store.Order{}, invalid(Fields{"quantity": QuantityRequired})
	}
	form := p.tag("order form", decimal(m.ID)+"\x00"+limited(in.Form, maxTyped))
	if in.Form == "" {
		form = NewForm()
	}
	var order store.Order
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		number, err := tx.NextOrderNumber(ctx, m.CompanyID)
		if err != nil {
			return err
		}
		if order, err = tx.OrderByForm(ctx, m.CompanyID, form); !errors.Is(err, store.ErrNotFound) {
			return errors.Join(err, errMadeBefore)
		}
		product, err := tx.ProductByID(ctx, m.CompanyID, in.ProductID)
		if errors.Is(err, store.ErrNotFound) {
			return invalid(Fields{"product_id": ProductGone})
		}
		if err != nil {
			return err
		}
		if err := p.askBeforeOrder(ctx, tx, m, in, product, quantity); err != nil {
			return err
		}
		if err := tx.TakeStock(ctx, m.CompanyID, product.ID, quantity); errors.Is(err, store.ErrNotFound) {
			return invalid(Fields{"quantity": StockShort})
		} else if err != nil {
			return err
		}
		order = store.Order{
			CompanyID: m.CompanyID, Number: number, ClientID: m.ClientID, AccountID: m.ID, Form: form, State: store.OrderNew,
			Total: quantity * product.Price, PlacedAt: store.At(p.now()),
		}
		if order.ID, err = tx.AddOrder(ctx, order); err != nil {
			return err
		}
		if err := tx.AddOrderLine(ctx, store.OrderLine{OrderID: order.ID, Line: 1, ProductID: product.ID, Quantity: quantity, Price: product.Price}); err != nil {
			return err
		}
		return p.event(ctx, tx, "order_placed", m, decimal(number))
	})
	if errors.Is(err, errMadeBefore) && order.ID != 0 {
		return order, nil
	}
	return order, err
}

// askBeforeOrder refuses an order that the person has to confirm first: the product differs from what the page showed,
// or the account ordered the same within OrderedAgain.
func (p *Portal) askBeforeOrder(
	ctx context.Context, tx *store.DB, m store.Member, in OrderInput, product store.Product, quantity int64,
) error {
	questions := Fields{}
	if now := productSeen(product); in.Seen != "" && in.Seen != now {
		questions["seen"] = ProductChanged
		_, seen, _ := strings.Cut(in.Seen, "-")
		if _, ok := PriceSeen(in.Seen); ok && strings.HasSuffix(now, "-"+seen) {
			questions["seen"] = PriceChanged
		}
	}
	if !in.Again {
		again, err := tx.OrderedSince(ctx, m.CompanyID, m.ID, product.ID, quantity,
			store.At(p.now().Add(-OrderedAgain)))
		if err != nil {
			return err
		}
		if again {
			questions["quantity"] = OrderedJustNow
		}
	}
	return invalid(questions)
}

// OrderList is a page of orders, the newest first. The next page has the orders with a smaller number than Older; 0
// means that there is no next page.
type OrderList struct {
	Orders []store.Order
	Older  int64
}

// OwnOrders reads the orders of a shop account's customer with a smaller number than before; 0 starts with the newest.
func (p *Portal) OwnOrders(ctx context.Context, here Landing, before int64, lang string) (OrderList, error) {
	return p.orderList(here.Member.Company, lang, func() ([]store.Order, error) {
		return p.db.OrdersOfClient(ctx, here.Member.CompanyID, here.Member.ClientID, newest(before), OrdersShown+1)
	})
}

func newest(before int64) int64 {
	if before == 0 {
		return math.MaxInt32
	}
	return before
}

func (p *Portal) orderList(c store.Company, lang string, read func() ([]store.Order, error)) (OrderList, error) {
	all, err := read()
	if err != nil {
		return OrderList{}, err
	}
	var list OrderList
	if len(all) > OrdersShown {
		all = all[:OrdersShown]
		list.Older = all[OrdersShown-1].Number
	}
	wordsFor(c, lang).orders(all)
	list.Orders = all
	return list, nil
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
func (p *Portal) OwnOrder(ctx context.Context, here Landing, id int64, lang string) (OrderDetail, error) {
	detail, err := p.order(ctx, here, id, lang)
	if err == nil && detail.ClientID != here.Member.ClientID {
		err = NotFound
	}
	if err != nil {
		return OrderDetail{}, err
	}
	return detail, nil
}

func (p *Portal) order(ctx context.Context, here Landing, id int64, lang string) (OrderDetail, error) {
	c := here.Member.Company
	o, err := p.db.OrderByID(ctx, c.ID, id)
	if err != nil {
		return OrderDetail{}, p.missing(ctx, here, "order", err)
	}
	detail := OrderDetail{Order: o}
	words := wordsFor(c, lang)
	words.client(o.ClientSample, &detail.ClientName, &detail.ClientContact)
	if detail.Lines, err = p.db.LinesOf(ctx, c.ID, id); err != nil {
		return OrderDetail{}, err
	}
	words.lines(detail.Lines)
	for account, name := range map[int64]*string{o.AccountID: &detail.PlacedBy, o.ConfirmedBy: &detail.ConfirmedBy} {
		m, err := p.db.MemberByID(ctx, c.ID, account)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return OrderDetail{}, err
		}
		*name = m.Name
	}
	return detail, nil
}
