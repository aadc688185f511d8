package signin

import (
	"portico/portal/core"
)

// Entry issues the one-time codes that enter a site. It is safe for concurrent use.
type Entry struct {
	core *core.Core

	accounts *Accounts
}

// NewEntry makes an Entry.
func NewEntry(c *core.Core, accounts *Accounts) *Entry {
	return &Entry{
		core:     c,
		accounts: accounts,
	}
}
