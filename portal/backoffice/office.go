package backoffice

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/ordering"
	"portico/portal/samples"
	"portico/portal/statistics"
	"portico/store"
)

// Office is what a company's people see first: what waits for them.
type Office struct {
	NewOrders int // counted up to CountShown+1
	Latest    []store.Order
	Customers int                   // likewise
	Pending   int                   // applications that wait to be decided, likewise
	Visits    []statistics.VisitDay // of VisitWeek days, nil for those who may not see them
	Samples   int                   // rows that System initialisation could clear
}

// officeLatest is how many orders the first page of the back office shows.
const officeLatest = 5

// Office reads the first page of a company's back office, as far as one may see it.
func (b *Backoffice) Office(ctx context.Context, here access.Landing, lang string) (Office, error) {
	m := here.Member
	var o Office
	var err error
	if access.May(m, access.RightOrders) {
		if o.NewOrders, err = b.db.CountOrders(ctx, m.CompanyID, store.OrderNew, application.CountShown+1); err != nil {
			return o, err
		}
		if o.Latest, err = b.db.Orders(ctx, m.CompanyID, ordering.Newest(0), officeLatest); err != nil {
			return o, err
		}
		samples.WordsFor(m.Company, lang).Orders(o.Latest)
	}
	if access.May(m, access.RightCustomers) {
		if o.Customers, err = b.db.CountClients(ctx, m.CompanyID, application.CountShown+1); err != nil {
			return o, err
		}
	}
	if access.May(m, access.RightApplications) {
		if o.Pending, err = b.db.CountPending(ctx, m.CompanyID, application.CountShown+1); err != nil {
			return o, err
		}
	}
	if access.May(m, access.RightAudit) {
		if o.Visits, err = b.statistics.VisitWeek(ctx, m.CompanyID); err != nil {
			return o, err
		}
	}
	if access.May(m, access.RightSettings) {
		n, err := b.db.CountSamples(ctx, m.CompanyID)
		o.Samples = n.Categories + n.Products + n.Clients + n.Orders
		return o, err
	}
	return o, nil
}

// CompanyOrders are a company's orders with a smaller number than before, 0 for the newest.
func (b *Backoffice) CompanyOrders(
	ctx context.Context, here access.Landing, before int64, lang string,
) (ordering.OrderList, error) {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return ordering.OrderList{}, err
	}
	return b.ordering.OrderList(here.Member.Company, lang, func() ([]store.Order, error) {
		return b.db.Orders(ctx, here.Member.CompanyID, ordering.Newest(before), ordering.OrdersShown+1)
	})
}

// CompanyOrder is one of them; NotFound for another company's.
func (b *Backoffice) CompanyOrder(
	ctx context.Context, here access.Landing, id int64, lang string,
) (ordering.OrderDetail, error) {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return ordering.OrderDetail{}, err
	}
	return b.ordering.Order(ctx, here, id, lang)
}

// ConfirmOrder confirms a new order for the company. One that was confirmed stays as it is: who was first counts.
func (b *Backoffice) ConfirmOrder(ctx context.Context, here access.Landing, id int64) error {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return err
	}
	return b.db.Tx(ctx, func(tx *store.DB) error {
		by, err := b.access.Acting(ctx, tx, here, access.RightOrders)
		if err != nil {
			return err
		}
		err = tx.ConfirmOrder(ctx, by.CompanyID, id, by.ID, store.At(b.now()))
		if errors.Is(err, store.ErrNotFound) {
			_, err = tx.OrderByID(ctx, by.CompanyID, id)
			return b.accounts.Missing(ctx, here, "order", err)
		}
		if err != nil {
			return err
		}
		return b.access.Event(ctx, tx, "order_confirmed", by, access.Decimal(id))
	})
}
