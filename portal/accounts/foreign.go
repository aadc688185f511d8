package accounts

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/store"
)

// RefuseMissing makes NotFound of what a company does not have, and writes it down: it may be another's.
func (a *Accounts) RefuseMissing(ctx context.Context, here access.Landing, what string, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	a.access.RefuseForeign(ctx, access.Session{PhoneID: here.Member.PhoneID, AccountID: here.Member.ID}, what)
	return access.NotFound
}
