// Package accounts lists the accounts of a person and says which of them can be entered, which one a sign-in starts
// with, which agreement is due, and which companies invite the person.
package accounts

import (
	"portico/portal/chatapps"
	"portico/portal/core"
)

// Accounts finds and describes the accounts of a person. It is safe for concurrent use.
type Accounts struct {
	core *core.Core

	Agreements *Agreements // the service agreement: what was accepted and what is due
	Applicants *Applicants // people who applied and have no account

	chatapps *chatapps.Chatapps
}

// New makes an Accounts.
func New(c *core.Core, chatapps *chatapps.Chatapps) *Accounts {
	return &Accounts{
		core:       c,
		Agreements: &Agreements{core: c},
		Applicants: &Applicants{core: c},
		chatapps:   chatapps,
	}
}
