// Package signin signs people in by password, by code or with their WeChat or WeCom identity, as a browser session or
// an API token, and takes them to the right shop or back office: it lists a person's accounts and offers, makes the
// one-time code of a site, and redeems it there. It knows the applications at chat apps and links identities to
// accounts.
package signin

import (
	"sync/atomic"
	"time"

	"portico/portal/core"
)

// FreshSession is the age up to which a sign-in counts as recent. A recent sign-in may unbind a phone without the
// password and, on a company's own domain, change a role.
const FreshSession = 10 * time.Minute

// Signin signs people in. It is safe for concurrent use.
type Signin struct {
	core *core.Core

	crowdNoted atomic.Int64 // when the log last said that strangers crowd in, Unix ms

	accounts *Accounts
	entry    *Entry
}

// New makes a Signin.
func New(c *core.Core, accounts *Accounts, entry *Entry) *Signin {
	return &Signin{
		core:     c,
		accounts: accounts,
		entry:    entry,
	}
}
