// Package credentials changes what a person signs in with: passwords are reset, changed and set for the first time,
// phones are bound to accounts, taken off them and changed, and an account is offered by a link. It also changes what a
// person says about themselves.
package credentials

import (
	"portico/portal/core"
	"portico/portal/signin"
)

// Credentials sets passwords. It is safe for concurrent use.
type Credentials struct {
	core *core.Core

	accounts *signin.Accounts
	signin   *signin.Signin
}

// New makes a Credentials.
func New(c *core.Core, accounts *signin.Accounts, signin *signin.Signin) *Credentials {
	return &Credentials{
		core:     c,
		accounts: accounts,
		signin:   signin,
	}
}
