// Package binding binds a phone to an account, takes it off, and changes it.
package binding

import (
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/signin"
)

// Binding ties phones to accounts. It is safe for concurrent use.
type Binding struct {
	core *core.Core

	accounts    *signin.Accounts
	signin      *signin.Signin
	credentials *credentials.Credentials
}

// New makes a Binding.
func New(
	c *core.Core, accounts *signin.Accounts, signin *signin.Signin, credentials *credentials.Credentials,
) *Binding {
	return &Binding{
		core:        c,
		accounts:    accounts,
		signin:      signin,
		credentials: credentials,
	}
}
