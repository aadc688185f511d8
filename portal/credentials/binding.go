package credentials

import (
	"portico/portal/core"
	"portico/portal/signin"
)

// Binding ties phones to accounts. It is safe for concurrent use.
type Binding struct {
	core *core.Core

	accounts    *signin.Accounts
	signin      *signin.Signin
	credentials *Credentials
}

// NewBinding makes a Binding.
func NewBinding(
	c *core.Core, accounts *signin.Accounts, signin *signin.Signin, credentials *Credentials,
) *Binding {
	return &Binding{
		core:        c,
		accounts:    accounts,
		signin:      signin,
		credentials: credentials,
	}
}
