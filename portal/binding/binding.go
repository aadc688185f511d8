// Package binding binds a phone to an account, takes it off, and changes it.
package binding

import (
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/signin"
	"portico/store"
)

// Binding ties phones to accounts. It is safe for concurrent use.
type Binding struct {
	db      *store.DB
	now     func() time.Time
	log     *slog.Logger
	noLimit bool

	access       *access.Access
	passwords    *core.Passwords
	limits       *core.Limits
	sessions     *core.Sessions
	verification *core.Verification
	replay       *core.Replay
	revocation   *core.Revocation
	accounts     *accounts.Accounts
	signin       *signin.Signin
	credentials  *credentials.Credentials
}

// New makes a Binding from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	passwords *core.Passwords,
	limits *core.Limits,
	sessions *core.Sessions,
	verification *core.Verification,
	replay *core.Replay,
	revocation *core.Revocation,
	accounts *accounts.Accounts,
	signin *signin.Signin,
	credentials *credentials.Credentials,
) *Binding {
	return &Binding{
		db:           o.DB,
		now:          o.Now,
		log:          o.Log,
		noLimit:      o.NoLimit,
		access:       access,
		passwords:    passwords,
		limits:       limits,
		sessions:     sessions,
		verification: verification,
		replay:       replay,
		revocation:   revocation,
		accounts:     accounts,
		signin:       signin,
		credentials:  credentials,
	}
}
