// Package entry leads a signed-in person into one of their accounts: it builds the address of the site and issues the
// one-time code for it.
package entry

import (
	"net/url"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/core"
	"portico/store"
)

// Entry issues the one-time codes that enter a site. It is safe for concurrent use.
type Entry struct {
	db       *store.DB
	now      func() time.Time
	base     *url.URL
	baseHost string
	dev      bool

	access   *access.Access
	sealing  *core.Sealing
	limits   *core.Limits
	accounts *accounts.Accounts
}

// New makes an Entry from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	limits *core.Limits,
	accounts *accounts.Accounts,
) *Entry {
	return &Entry{
		db:       o.DB,
		now:      o.Now,
		base:     o.Base,
		baseHost: o.BaseHost,
		dev:      o.Dev,
		access:   access,
		sealing:  sealing,
		limits:   limits,
		accounts: accounts,
	}
}
