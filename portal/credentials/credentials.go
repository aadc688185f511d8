// Package credentials sets passwords: forgotten, changed, and first ones.
package credentials

import (
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// Credentials sets passwords. It is safe for concurrent use.
type Credentials struct {
	db     *store.DB
	now    func() time.Time
	strict bool

	access       *access.Access
	sealing      *core.Sealing
	passwords    *core.Passwords
	limits       *core.Limits
	sessions     *core.Sessions
	verification *core.Verification
	replay       *core.Replay
	revocation   *core.Revocation
	accounts     *accounts.Accounts
	signin       *signin.Signin
}

// New makes a Credentials from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	passwords *core.Passwords,
	limits *core.Limits,
	sessions *core.Sessions,
	verification *core.Verification,
	replay *core.Replay,
	revocation *core.Revocation,
	accounts *accounts.Accounts,
	signin *signin.Signin,
) *Credentials {
	return &Credentials{
		db:           o.DB,
		now:          o.Now,
		strict:       o.Strict,
		access:       access,
		sealing:      sealing,
		passwords:    passwords,
		limits:       limits,
		sessions:     sessions,
		verification: verification,
		replay:       replay,
		revocation:   revocation,
		accounts:     accounts,
		signin:       signin,
	}
}
