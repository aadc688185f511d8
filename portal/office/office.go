package office

import (
	"context"

	"portico/store"
)

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
	c.Latest, err = db.Orders.OfClient(ctx, companyID, clientID, store.NewestOrder, customerOrdersShown)
	if err != nil || len(c.Latest) == 0 {
		return c, err
	}
	c.ClientSum, err = db.Reports.OrdersOfClient(ctx, companyID, clientID)
	return c, err
}
