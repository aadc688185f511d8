// Package signin signs people in by password or code, as a browser session or an API token.
package signin

import (
	"sync/atomic"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/entry"
	"portico/portal/limits"
	"portico/portal/passwords"
	"portico/portal/replay"
	"portico/portal/sealing"
	"portico/portal/sessions"
	"portico/portal/statistics"
	"portico/portal/verification"
	"portico/store"
)

// FreshSession is the age up to which a sign-in counts as recent. A recent sign-in may unbind a phone without the
// password and, on a company's own domain, change a role.
const FreshSession = 10 * time.Minute

// Signin signs people in. It is safe for concurrent use.
type Signin struct {
	db      *store.DB
	now     func() time.Time
	strict  bool
	noLimit bool

	crowdNoted atomic.Int64 // when the log last said that strangers crowd in, Unix ms

	access       *access.Access
	sealing      *sealing.Sealing
	passwords    *passwords.Passwords
	limits       *limits.Limits
	sessions     *sessions.Sessions
	statistics   *statistics.Statistics
	verification *verification.Verification
	replay       *replay.Replay
	accounts     *accounts.Accounts
	entry        *entry.Entry
}

// New makes a Signin from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *sealing.Sealing,
	passwords *passwords.Passwords,
	limits *limits.Limits,
	sessions *sessions.Sessions,
	statistics *statistics.Statistics,
	verification *verification.Verification,
	replay *replay.Replay,
	accounts *accounts.Accounts,
	entry *entry.Entry,
) *Signin {
	return &Signin{
		db:           o.DB,
		now:          o.Now,
		strict:       o.Strict,
		noLimit:      o.NoLimit,
		access:       access,
		sealing:      sealing,
		passwords:    passwords,
		limits:       limits,
		sessions:     sessions,
		statistics:   statistics,
		verification: verification,
		replay:       replay,
		accounts:     accounts,
		entry:        entry,
	}
}
