package office

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/shop"
	"portico/store"
)

// CompanyOrder reads an order. It refuses with Forbidden an account without RightOrders, and with NotFound another
// company's order.
func (b *Backoffice) CompanyOrder(
	ctx context.Context, here access.Landing, id int64, lang string,
) (shop.OrderDetail, error) {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return shop.OrderDetail{}, err
	}
	return b.shop.Order(ctx, here, id, lang)
}

// ConfirmOrder confirms a new order. An order that was confirmed before does not change. It refuses as CompanyOrder
// does.
func (b *Backoffice) ConfirmOrder(ctx context.Context, here access.Landing, id int64) error {
	_, err := b.ConfirmIfNew(ctx, here, id)
	return err
}

// ConfirmIfNew does what ConfirmOrder does and says whether it was this call that confirmed the order.
func (b *Backoffice) ConfirmIfNew(ctx context.Context, here access.Landing, id int64) (confirmed bool, err error) {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return false, err
	}
	err = b.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := b.core.Access.LockActor(ctx, tx, here, access.RightOrders)
		if err != nil {
			return err
		}
		err = tx.Orders.Confirm(ctx, by.CompanyID, id, by.ID, store.At(b.core.Now()))
		if confirmed = err == nil; errors.Is(err, store.ErrNotFound) {
			_, err = tx.Orders.ByID(ctx, by.CompanyID, id)
			return b.core.Access.RefuseMissing(ctx, here, "order", err)
		}
		if err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "order_confirmed", by, access.Decimal(id))
	})
	return confirmed && err == nil, err
}

// CustomerOrders is what a customer has ordered: how many orders, their sum in cents, and the newest ones.
type CustomerOrders struct {
	store.ClientSum
	Latest []store.Order
}

// customerOrdersShown is how many orders the page of a customer shows.
const customerOrdersShown = 5

// customerOrders reads what a customer has ordered.
func customerOrders(
	ctx context.Context, b *Backoffice, companyID, clientID int64,
) (c CustomerOrders, err error) {
	db := b.core.DB.ForLists(ctx)
	c.Latest, err = db.Orders.OfClient(ctx, companyID, clientID, shop.Newest(0), customerOrdersShown)
	if err != nil || len(c.Latest) == 0 {
		return c, err
	}
	c.ClientSum, err = db.Reports.OrdersOfClient(ctx, companyID, clientID)
	return c, err
}

// NextOrder returns the id of the new order that has waited longest, and how many wait, up to
// core.WaitingShown+1; 0 when none does. It refuses with Forbidden an account without RightOrders.
func (b *Backoffice) NextOrder(ctx context.Context, here access.Landing) (id int64, waiting int, err error) {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return 0, 0, err
	}
	companyID := here.Member.CompanyID
	waiting, err = b.core.DB.Reports.CountNewOrders(ctx, companyID, core.WaitingShown+1)
	if err != nil || waiting == 0 {
		return 0, 0, err
	}
	id, err = b.core.DB.Reports.OldestOrder(ctx, companyID)
	return id, waiting, err
}
