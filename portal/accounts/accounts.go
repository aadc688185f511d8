// Package accounts lists the accounts of a person and says which of them can be entered, which one a sign-in starts
// with, which agreement is due, and which companies invite the person.
package accounts

import (
	"time"

	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/core"
	"portico/store"
)

// Accounts finds and describes the accounts of a person. It is safe for concurrent use.
type Accounts struct {
	Agreements *Agreements // the service agreement: what was accepted and what is due
	Applicants *Applicants // people who applied and have no account

	db          *store.DB
	now         func() time.Time
	noLimit     bool
	environment string

	access   *access.Access
	sealing  *core.Sealing
	chatapps *chatapps.Chatapps
}

// New makes an Accounts from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	chatapps *chatapps.Chatapps,
) *Accounts {
	return &Accounts{
		Agreements:  &Agreements{db: o.DB, now: o.Now},
		Applicants:  &Applicants{db: o.DB, now: o.Now, access: access},
		db:          o.DB,
		now:         o.Now,
		noLimit:     o.NoLimit,
		environment: o.Environment,
		access:      access,
		sealing:     sealing,
		chatapps:    chatapps,
	}
}
