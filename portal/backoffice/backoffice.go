// Package backoffice has the operations of a company's staff: people and their roles, customers, orders, rights, and
// settings.
package backoffice

import (
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/ordering"
	"portico/portal/signin"
	"portico/store"
)

// Backoffice runs a company's administration. It is safe for concurrent use.
type Backoffice struct {
	db      *store.DB
	now     func() time.Time
	noLimit bool

	access       *access.Access
	sealing      *core.Sealing
	passwords    *core.Passwords
	limits       *core.Limits
	verification *core.Verification
	replay       *core.Replay
	revocation   *core.Revocation
	accounts     *accounts.Accounts
	signin       *signin.Signin
	credentials  *credentials.Credentials
	ordering     *ordering.Ordering
	onboarding   *onboarding.Onboarding
}

// New makes a Backoffice from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	passwords *core.Passwords,
	limits *core.Limits,
	verification *core.Verification,
	replay *core.Replay,
	revocation *core.Revocation,
	accounts *accounts.Accounts,
	signin *signin.Signin,
	credentials *credentials.Credentials,
	ordering *ordering.Ordering,
	onboarding *onboarding.Onboarding,
) *Backoffice {
	return &Backoffice{
		db:           o.DB,
		now:          o.Now,
		noLimit:      o.NoLimit,
		access:       access,
		sealing:      sealing,
		passwords:    passwords,
		limits:       limits,
		verification: verification,
		replay:       replay,
		revocation:   revocation,
		accounts:     accounts,
		signin:       signin,
		credentials:  credentials,
		ordering:     ordering,
		onboarding:   onboarding,
	}
}
