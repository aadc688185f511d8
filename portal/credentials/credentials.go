// Package credentials sets passwords: forgotten, changed, and first ones.
package credentials

import (
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/limits"
	"portico/portal/passwords"
	"portico/portal/replay"
	"portico/portal/revocation"
	"portico/portal/sealing"
	"portico/portal/sessions"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

// Credentials sets passwords. It is safe for concurrent use.
type Credentials struct {
	db     *store.DB
	now    func() time.Time
	strict bool

	access       *access.Access
	sealing      *sealing.Sealing
	passwords    *passwords.Passwords
	limits       *limits.Limits
	sessions     *sessions.Sessions
	verification *verification.Verification
	replay       *replay.Replay
	revocation   *revocation.Revocation
	accounts     *accounts.Accounts
	signin       *signin.Signin
}

// New makes a Credentials from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *sealing.Sealing,
	passwords *passwords.Passwords,
	limits *limits.Limits,
	sessions *sessions.Sessions,
	verification *verification.Verification,
	replay *replay.Replay,
	revocation *revocation.Revocation,
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
