package shop

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// CompanyOrder reads an order. It refuses with Forbidden an account without RightOrders, and with NotFound another
// company's order.
func (s *Shop) CompanyOrder(
	ctx context.Context, here access.Landing, id int64, lang string,
) (OrderDetail, error) {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return OrderDetail{}, err
	}
	return s.Order(ctx, here, id, lang)
}

// ConfirmOrder confirms a new order. An order that was confirmed before does not change. It refuses as CompanyOrder
// does.
func (s *Shop) ConfirmOrder(ctx context.Context, here access.Landing, id int64) error {
	_, err := s.ConfirmIfNew(ctx, here, id)
	return err
}

// ConfirmIfNew does what ConfirmOrder does and says whether it was this call that confirmed the order.
func (s *Shop) ConfirmIfNew(ctx context.Context, here access.Landing, id int64) (confirmed bool, err error) {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return false, err
	}
	err = s.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := s.core.Access.LockActor(ctx, tx, here, access.RightOrders)
		if err != nil {
			return err
		}
		err = tx.Orders.Confirm(ctx, by.CompanyID, id, by.ID, store.At(s.core.Now()))
		if confirmed = err == nil; errors.Is(err, store.ErrNotFound) {
			_, err = tx.Orders.ByID(ctx, by.CompanyID, id)
			return s.core.Access.RefuseMissing(ctx, here, "order", err)
		}
		if err != nil {
			return err
		}
		return s.core.Access.Event(ctx, tx, "order_confirmed", by, access.Decimal(id))
	})
	return confirmed && err == nil, err
}

// NextOrder returns the id of the new order that has waited longest, and how many wait, up to
// core.WaitingShown+1; 0 when none does. It refuses with Forbidden an account without RightOrders.
func (s *Shop) NextOrder(ctx context.Context, here access.Landing) (id int64, waiting int, err error) {
	if err := access.RequireRight(here, access.RightOrders); err != nil {
		return 0, 0, err
	}
	companyID := here.Member.CompanyID
	waiting, err = s.core.DB.Reports.CountNewOrders(ctx, companyID, core.WaitingShown+1)
	if err != nil || waiting == 0 {
		return 0, 0, err
	}
	id, err = s.core.DB.Reports.OldestOrder(ctx, companyID)
	return id, waiting, err
}
