package portal

import (
	"context"
	"errors"
	"strings"

	"portico/store"
)

// ErrSetting says that an operator's setting was not accepted; its text is for the operator's terminal.
var ErrSetting = errors.New("not accepted")

func (p *Portal) changeCompany(ctx context.Context, id int64, kind string, change func(*store.Company) error) error {
	return p.changeCompanyIn(ctx, id, kind, func(_ *store.DB, c *store.Company) error { return change(c) })
}

// changeCompanyIn is changeCompany for what changes other rows of the company with it.
func (p *Portal) changeCompanyIn(
	ctx context.Context, id int64, kind string, change func(*store.DB, *store.Company) error,
) error {
	err := p.db.Tx(ctx, func(tx *store.DB) error {
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
		c.UpdatedAt = max(c.UpdatedAt+1, store.At(p.now()))
		if err := tx.UpdateCompany(ctx, c); err != nil {
			return err
		}
		if err := p.keepLook(ctx, tx, before, c); err != nil {
			return err
		}
		if !c.Sandbox {
			if err := tx.DropSandbox(ctx, id); err != nil {
				return err
			}
		}
		return p.event(ctx, tx, kind, store.Member{Account: store.Account{CompanyID: id}}, "operator")
	})
	if errors.Is(err, store.ErrNotFound) {
		err = NotFound
	}
	return err
}

func goodTheme(value string) bool {
	if value != "" && len(value) != 6 {
		return false
	}
	for _, r := range strings.ToLower(value) {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return false
		}
	}
	return true
}
