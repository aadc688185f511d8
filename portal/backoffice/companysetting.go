package backoffice

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/store"
)

// ErrSetting says that an operator's setting was not accepted; its text is for the operator's terminal.
var ErrSetting = errors.New("not accepted")

func (b *Backoffice) ChangeCompany(
	ctx context.Context, id int64, kind string, change func(*store.Company) error,
) error {
	return b.ChangeCompanyIn(ctx, id, kind, func(_ *store.DB, c *store.Company) error { return change(c) })
}

// ChangeCompanyIn is ChangeCompany for what changes other rows of the company with it.
func (b *Backoffice) ChangeCompanyIn(
	ctx context.Context, id int64, kind string, change func(*store.DB, *store.Company) error,
) error {
	err := b.db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.LockCompany(ctx, id); err != nil { // its administrators change it, too
			return err
		}
		c, err := tx.CompanyByID(ctx, id)
		if err != nil {
			return err
		}
		before := c
		if err := change(tx, &c); err != nil {
			return err
		}
		c.UpdatedAt = max(c.UpdatedAt+1, store.At(b.now()))
		if err := tx.UpdateCompany(ctx, c); err != nil {
			return err
		}
		if err := b.access.KeepLook(ctx, tx, before, c); err != nil {
			return err
		}
		if !c.Sandbox {
			if err := tx.DropSandbox(ctx, id); err != nil {
				return err
			}
		}
		return b.access.Event(ctx, tx, kind, store.Member{Account: store.Account{CompanyID: id}}, "operator")
	})
	if errors.Is(err, store.ErrNotFound) {
		err = access.NotFound
	}
	return err
}
