// Package landing redeems one-time codes at the site of an account, and gives native apps their sessions and tokens.
package landing

import (
	"net/url"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/core"
	"portico/portal/entry"
	"portico/portal/signin"
	"portico/store"
)

// Landing redeems one-time codes. It is safe for concurrent use.
type Landing struct {
	db      *store.DB
	now     func() time.Time
	base    *url.URL
	dev     bool
	noLimit bool

	access     *access.Access
	sealing    *core.Sealing
	limits     *core.Limits
	sessions   *core.Sessions
	statistics *core.Statistics
	accounts   *accounts.Accounts
	entry      *entry.Entry
	signin     *signin.Signin
}

// New makes a Landing from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	limits *core.Limits,
	sessions *core.Sessions,
	statistics *core.Statistics,
	accounts *accounts.Accounts,
	entry *entry.Entry,
	signin *signin.Signin,
) *Landing {
	return &Landing{
		db:         o.DB,
		now:        o.Now,
		base:       o.Base,
		dev:        o.Dev,
		noLimit:    o.NoLimit,
		access:     access,
		sealing:    sealing,
		limits:     limits,
		sessions:   sessions,
		statistics: statistics,
		accounts:   accounts,
		entry:      entry,
		signin:     signin,
	}
}
