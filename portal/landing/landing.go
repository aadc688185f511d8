// Package landing redeems one-time codes at the site of an account, and gives native apps their sessions and tokens.
package landing

import (
	"portico/portal/accounts"
	"portico/portal/core"
	"portico/portal/entry"
	"portico/portal/signin"
)

// Landing redeems one-time codes. It is safe for concurrent use.
type Landing struct {
	core *core.Core

	accounts *accounts.Accounts
	entry    *entry.Entry
	signin   *signin.Signin
}

// New makes a Landing.
func New(c *core.Core, accounts *accounts.Accounts, entry *entry.Entry, signin *signin.Signin) *Landing {
	return &Landing{
		core:     c,
		accounts: accounts,
		entry:    entry,
		signin:   signin,
	}
}
