package portal

import (
	"context"
	"errors"

	"portico/store"
)

// Office is what a company's people see first: what waits for them.
type Office struct {
	NewOrders int // counted up to CountShown+1
	Latest    []store.Order
	Customers int        // likewise
	Pending   int        // applications that wait to be decided, likewise
	Visits    []VisitDay // of VisitWeek days, nil for those who may not see them
	Samples   int        // rows that System initialisation could clear
}

// officeLatest is how many orders the first page of the back office shows.
const officeLatest = 5

// Office reads the first page of a company's back office, as far as one may see it.
func (p *Portal) Office(ctx context.Context, here Landing, lang string) (Office, error) {
	m := here.Member
	var o Office
	var err error
	if May(m, RightOrders) {
		if o.NewOrders, err = p.db.CountOrders(ctx, m.CompanyID, store.OrderNew, CountShown+1); err != nil {
			return o, err
		}
		if o.Latest, err = p.db.Orders(ctx, m.CompanyID, newest(0), officeLatest); err != nil {
			return o, err
		}
		wordsFor(m.Company, lang).orders(o.Latest)
	}
	if May(m, RightCustomers) {
		if o.Customers, err = p.db.CountClients(ctx, m.CompanyID, CountShown+1); err != nil {
			return o, err
		}
	}
	if May(m, RightApplications) {
		if o.Pending, err = p.db.CountPending(ctx, m.CompanyID, CountShown+1); err != nil {
			return o, err
		}
	}
	if May(m, RightAudit) {
		if o.Visits, err = p.visitWeek(ctx, m.CompanyID); err != nil {
			return o, err
		}
	}
	if May(m, RightSettings) {
		n, err := p.db.CountSamples(ctx, m.CompanyID)
		o.Samples = n.Categories + n.Products + n.Clients + n.Orders
		return o, err
	}
	return o, nil
}

// CompanyOrders are a company's orders with a smaller number than before, 0 for the newest.
func (p *Portal) CompanyOrders(ctx context.Context, here Landing, before int64, lang string) (OrderList, error) {
	if err := may(here, RightOrders); err != nil {
		return OrderList{}, err
	}
	return p.orderList(here.Member.Company, lang, func() ([]store.Order, error) {
		return p.db.Orders(ctx, here.Member.CompanyID, newest(before), OrdersShown+1)
	})
}

// CompanyOrder is one of them; NotFound for another company's.
func (p *Portal) CompanyOrder(ctx context.Context, here Landing, id int64, lang string) (OrderDetail, error) {
	if err := may(here, RightOrders); err != nil {
		return OrderDetail{}, err
	}
	return p.order(ctx, here, id, lang)
}

// ConfirmOrder confirms a new order for the company. One that was confirmed stays as it is: who was first counts.
func (p *Portal) ConfirmOrder(ctx context.Context, here Landing, id int64) error {
	if err := may(here, RightOrders); err != nil {
		return err
	}
	return p.db.Tx(ctx, func(tx *store.DB) error {
		by, err := p.acting(ctx, tx, here, RightOrders)
		if err != nil {
			return err
		}
		err = tx.ConfirmOrder(ctx, by.CompanyID, id, by.ID, store.At(p.now()))
		if errors.Is(err, store.ErrNotFound) {
			_, err = tx.OrderByID(ctx, by.CompanyID, id)
			return p.missing(ctx, here, "order", err)
		}
		if err != nil {
			return err
		}
		return p.event(ctx, tx, "order_confirmed", by, decimal(id))
	})
}
