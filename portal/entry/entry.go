// Package entry leads a signed-in person into one of their accounts: it builds the address of the site and issues the
// one-time code for it.
package entry

import (
	"portico/portal/accounts"
	"portico/portal/core"
)

// Entry issues the one-time codes that enter a site. It is safe for concurrent use.
type Entry struct {
	core *core.Core

	accounts *accounts.Accounts
}

// New makes an Entry.
func New(c *core.Core, accounts *accounts.Accounts) *Entry {
	return &Entry{
		core:     c,
		accounts: accounts,
	}
}
