package signin

import (
	"portico/portal/core"
)

// Accounts finds and describes the accounts of a person. It is safe for concurrent use.
type Accounts struct {
	core *core.Core

	Agreements *Agreements // the service agreement: what was accepted and what is due
	Applicants *Applicants // people who applied and have no account

	chatapps *Chatapps
}

// NewAccounts makes an Accounts.
func NewAccounts(c *core.Core, chatapps *Chatapps) *Accounts {
	return &Accounts{
		core:       c,
		Agreements: &Agreements{core: c},
		Applicants: &Applicants{core: c},
		chatapps:   chatapps,
	}
}
