// Package ordering is the small shop behind a sign-in: the catalogue, and orders.
package ordering

import (
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/core"
	"portico/store"
)

// Ordering shows the catalogue and takes orders. It is safe for concurrent use.
type Ordering struct {
	db  *store.DB
	now func() time.Time

	access   *access.Access
	sealing  *core.Sealing
	accounts *accounts.Accounts
}

// New makes an Ordering from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	accounts *accounts.Accounts,
) *Ordering {
	return &Ordering{
		db:       o.DB,
		now:      o.Now,
		access:   access,
		sealing:  sealing,
		accounts: accounts,
	}
}
