// Package signin signs people in by password or code, as a browser session or an API token.
package signin

import (
	"sync/atomic"
	"time"

	"portico/portal/accounts"
	"portico/portal/core"
	"portico/portal/entry"
)

// FreshSession is the age up to which a sign-in counts as recent. A recent sign-in may unbind a phone without the
// password and, on a company's own domain, change a role.
const FreshSession = 10 * time.Minute

// Signin signs people in. It is safe for concurrent use.
type Signin struct {
	core *core.Core

	crowdNoted atomic.Int64 // when the log last said that strangers crowd in, Unix ms

	accounts *accounts.Accounts
	entry    *entry.Entry
}

// New makes a Signin.
func New(c *core.Core, accounts *accounts.Accounts, entry *entry.Entry) *Signin {
	return &Signin{
		core:     c,
		accounts: accounts,
		entry:    entry,
	}
}
