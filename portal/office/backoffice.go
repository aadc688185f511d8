// Package office has the operations of a company's staff: people and their roles, customers, rights, settings,
// and the figures of the first page.
package office

import (
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/signin"
)

// Backoffice runs a company's administration. It is safe for concurrent use.
type Backoffice struct {
	core *core.Core

	accounts    *signin.Accounts
	signin      *signin.Signin
	credentials *credentials.Credentials
}

// New makes a Backoffice.
func New(
	c *core.Core,
	accounts *signin.Accounts,
	signin *signin.Signin,
	credentials *credentials.Credentials,
) *Backoffice {
	return &Backoffice{
		core:        c,
		accounts:    accounts,
		signin:      signin,
		credentials: credentials,
	}
}
