package signin

import (
	"portico/portal/core"
)

// Landing redeems one-time codes. It is safe for concurrent use.
type Landing struct {
	core *core.Core

	accounts *Accounts
	entry    *Entry
	signin   *Signin
}

// NewLanding makes a Landing.
func NewLanding(c *core.Core, accounts *Accounts, entry *Entry, signin *Signin) *Landing {
	return &Landing{
		core:     c,
		accounts: accounts,
		entry:    entry,
		signin:   signin,
	}
}
