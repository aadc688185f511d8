// Package public has what search engines and link previews read.
package public

import (
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/branding"
)

// Portal is the part of the rules that these pages call.
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

// New makes a Pages from the settings of the installation and the districts below.
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
