// Package application receives applications to become a customer of a company, with their business licences, shows
// their state, and lets the company decide.
package application

import (
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/portal/signin"
)

// Application sends, shows and decides applications. It is safe for concurrent use.
type Application struct {
	core *core.Core

	accounts  *signin.Accounts
	signin    *signin.Signin
	chatlogin *signin.Chatlogin
	licences  *Licences
}

// New makes an Application.
func New(
	c *core.Core,
	accounts *signin.Accounts,
	signin *signin.Signin,
	chatlogin *signin.Chatlogin,
	licences *Licences,
) *Application {
	return &Application{
		core:      c,
		accounts:  accounts,
		signin:    signin,
		chatlogin: chatlogin,
		licences:  licences,
	}
}

// Licences stores the pictures of business licences that applicants send, shows them, and removes the files that
// nothing refers to any more. It is safe for concurrent use.
type Licences struct {
	core *core.Core

	pictures *pictures.Pictures
	accounts *signin.Accounts
}

// NewLicences makes a Licences.
func NewLicences(
	c *core.Core, pictures *pictures.Pictures, accounts *signin.Accounts,
) *Licences {
	return &Licences{
		core:     c,
		pictures: pictures,
		accounts: accounts,
	}
}
