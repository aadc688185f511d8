// Package public answers for files that need no session: robots.txt, the site map, share pictures, icons,
// portraits and style sheets.
package public

import (
	"portico/pages/web"
	"portico/portal/branding"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/shop"
)

// Portal has what these pages call.
type Portal struct {
	Core     *core.Core
	Branding *branding.Branding
	Shop     *shop.Shop
	Profiles *credentials.Profiles
}

// Pages answers for files that need no session.
type Pages struct {
	portal Portal

	Shares *Shares

	web *web.Web
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	web *web.Web,
) *Pages {
	return &Pages{
		portal: portal,
		Shares: NewShares(),
		web:    web,
	}
}
