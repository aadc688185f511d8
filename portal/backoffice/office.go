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

// Office is the first page of a company's back office. Counts go up to CountShown+1. What the reader may not see is 0
// or nil.
type Office struct {
	NewOrders int
	Latest    []store.Order
	Customers int
	Pending   int                   // pending applications
	Visits    []statistics.VisitDay // the last VisitWeek days
	Samples   int                   // rows of samples, which ClearSamples may remove
	Setup     []SetupStep           // what a new company does first, none for others
}

// officeLatest is how many orders the first page of the back office shows.
const officeLatest = 5

// Office reads the first page of a company's back office, as far as the account's rights allow.
func (b *Backoffice) Office(ctx context.Context, here access.Landing, lang string) (Office, error) {
	m, lists := here.Member, b.db.ForLists(ctx)
	var o Office
	var err error
	if access.May(m, access.RightOrders) {
		o.NewOrders, err = lists.Orders.Count(ctx, m.CompanyID, store.OrderNew, application.CountShown+1)
		if err != nil {
			return o, err
		}
		if o.Latest, err = lists.Orders.OfCompany(ctx, m.CompanyID, ordering.Newest(0), officeLatest); err != nil {
			return o, err
		}
		samples.WordsFor(m.Company, lang).Orders(o.Latest)
	}
	if access.May(m, access.RightCustomers) {
		if o.Customers, err = lists.Clients.Count(ctx, m.CompanyID, application.CountShown+1); err != nil {
			return o, err
		}
	}
	if access.May(m, access.RightApplications) {
		if o.Pending, err = lists.Applications.CountPending(ctx, m.CompanyID, application.CountShown+1); err != nil {
			return o, err
		}
	}
	if access.May(m, access.RightAudit) {
		if o.Visits, err = b.statistics.VisitWeek(ctx, m.CompanyID); err != nil {
			return o, err
		}
	}
	if access.May(m, access.RightSettings) {
		n, err := lists.Catalogue.CountSamples(ctx, m.CompanyID)
		o.Samples = n.Categories + n.Products + n.Clients + n.Orders
		if err != nil {
			return o, err
		}
	}
	o.Setup, err = b.setup(ctx, m)
	return o, err
}

// CompanyOrders reads a page of a company's orders with smaller numbers than before, 0 for the newest. It refuses with
// Forbidden an account without RightOrders.
func (b *Backoffice) CompanyOrders(
	ctx context.Context, here access.Landing, before int64, lang string,
) (ordering.OrderList, error) {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return ordering.OrderList{}, err
	}
	lists := b.db.ForLists(ctx)
	return b.ordering.OrderList(here.Member.Company, lang, func() ([]store.Order, error) {
		return lists.Orders.OfCompany(ctx, here.Member.CompanyID, ordering.Newest(before), ordering.OrdersShown+1)
	})
}

// CompanyOrder reads an order. It refuses with Forbidden an account without RightOrders, and with NotFound another
// company's order.
func (b *Backoffice) CompanyOrder(
	ctx context.Context, here access.Landing, id int64, lang string,
) (ordering.OrderDetail, error) {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return ordering.OrderDetail{}, err
	}
	return b.ordering.Order(ctx, here, id, lang)
}

// ConfirmOrder confirms a new order. An order that was confirmed before does not change. It refuses as CompanyOrder
// does.
func (b *Backoffice) ConfirmOrder(ctx context.Context, here access.Landing, id int64) error {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return err
	}
	return b.db.Tx(ctx, func(tx *store.DB) error {
		by, err := b.access.LockActor(ctx, tx, here, access.RightOrders)
		if err != nil {
			return err
		}
		err = tx.Orders.Confirm(ctx, by.CompanyID, id, by.ID, store.At(b.now()))
		if errors.Is(err, store.ErrNotFound) {
			_, err = tx.Orders.ByID(ctx, by.CompanyID, id)
			return b.accounts.RefuseMissing(ctx, here, "order", err)
		}
		if err != nil {
			return err
		}
		return b.access.Event(ctx, tx, "order_confirmed", by, access.Decimal(id))
	})
}
