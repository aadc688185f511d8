// Package public has what search engines and link previews read.
package public

import (
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/branding"
)

// Portal has the districts of portal that these pages call.
type Portal struct {
	Access   *access.Access
	Branding *branding.Branding
}

// Pages answers what search engines and link previews ask for.
type Pages struct {
	portal Portal

	Shares *Shares

	web *web.Web
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o request.Platform,
	portal Portal,
	web *web.Web,
) *Pages {
	return &Pages{
		portal: portal,
		Shares: NewShares(),
		web:    web,
	}
}
