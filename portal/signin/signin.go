// Package signin signs people in by password or code, as a browser session or an API token.
package signin

import (
	"sync/atomic"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/core"
	"portico/portal/entry"
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
	sealing      *core.Sealing
	passwords    *core.Passwords
	limits       *core.Limits
	sessions     *core.Sessions
	statistics   *core.Statistics
	verification *core.Verification
	replay       *core.Replay
	accounts     *accounts.Accounts
	entry        *entry.Entry
}

// New makes a Signin from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	passwords *core.Passwords,
	limits *core.Limits,
	sessions *core.Sessions,
	statistics *core.Statistics,
	verification *core.Verification,
	replay *core.Replay,
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
