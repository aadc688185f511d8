// Package ordering is the small shop behind a sign-in: the catalogue, and orders.
package ordering

import (
	"portico/portal/accounts"
	"portico/portal/core"
)

// Ordering shows the catalogue and takes orders. It is safe for concurrent use.
type Ordering struct {
	core *core.Core

	accounts *accounts.Accounts
}

// New makes an Ordering.
func New(c *core.Core, accounts *accounts.Accounts) *Ordering {
	return &Ordering{
		core:     c,
		accounts: accounts,
	}
}
