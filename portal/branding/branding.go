// Package branding has the operations on a company's look: name, colours, icon, style sheet, and its own domains.
package branding

import (
	"context"
	"net/url"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/store"
)

// Branding sets how a company looks. It is safe for concurrent use.
type Branding struct {
	db      *store.DB
	now     func() time.Time
	base    *url.URL
	process string
	counted access.Counted

	lookUpTXT func(ctx context.Context, name string) ([]string, error)

	access     *access.Access
	sealing    *core.Sealing
	limits     *core.Limits
	statistics *core.Statistics
	replay     *core.Replay
	pictures   *pictures.Pictures
	accounts   *accounts.Accounts
}

// New makes a Branding from the settings of the installation and the districts below.
func New(
	o access.Platform,
	lookUpTXT func(ctx context.Context, name string) ([]string, error),
	access *access.Access,
	sealing *core.Sealing,
	limits *core.Limits,
	statistics *core.Statistics,
	replay *core.Replay,
	pictures *pictures.Pictures,
	accounts *accounts.Accounts,
) *Branding {
	return &Branding{
		db:         o.DB,
		now:        o.Now,
		base:       o.Base,
		process:    o.Process,
		counted:    o.Counted,
		lookUpTXT:  lookUpTXT,
		access:     access,
		sealing:    sealing,
		limits:     limits,
		statistics: statistics,
		replay:     replay,
		pictures:   pictures,
		accounts:   accounts,
	}
}
