package office

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/store"
)

// ErrSetting is the error for a setting of the operator that is not accepted. Its text is shown in a terminal.
var ErrSetting = errors.New("not accepted")

// ChangeCompany changes a company for the operator, and logs the event kind. It returns NotFound for an unknown
// company, and the error of change.
func (b *Backoffice) ChangeCompany(
	ctx context.Context, id int64, kind string, change func(*store.Company) error,
) error {
	return b.ChangeCompanyIn(ctx, id, kind, func(_ *store.DB, c *store.Company) error { return change(c) })
}

// ChangeCompanyIn does what ChangeCompany does. Its change may also change other rows in the same transaction.
func (b *Backoffice) ChangeCompanyIn(
	ctx context.Context, id int64, kind string, change func(*store.DB, *store.Company) error,
) error {
	err := b.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := tx.Companies.Lock(ctx, id); err != nil { // administrators may change the company at the same time
			return err
		}
		c, err := tx.Companies.ByID(ctx, id)
		if err != nil {
			return err
		}
		before := c
		if err := change(tx, &c); err != nil {
			return err
		}
		c.UpdatedAt = max(c.UpdatedAt+1, store.At(b.core.Now()))
		if err := tx.Companies.Update(ctx, c); err != nil {
			return err
		}
		if err := b.core.Access.KeepLook(ctx, tx, before, c); err != nil {
			return err
		}
		if !c.Sandbox {
			if err := tx.Sandboxes.Drop(ctx, id); err != nil {
				return err
			}
		}
		return b.core.Access.Event(ctx, tx, kind, store.Member{Account: store.Account{CompanyID: id}}, "operator")
	})
	if errors.Is(err, store.ErrNotFound) {
		err = access.NotFound
	}
	return err
}
