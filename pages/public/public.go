// Package public answers for files that need no session: robots.txt, the site map, share pictures, icons,
// portraits and style sheets.
package public

import (
	"portico/pages/web"
	"portico/portal"
)

// Pages answers for files that need no session.
type Pages struct {
	portal *portal.Portal

	Shares *Shares

	web *web.Web
}

// New returns the Pages of one program.
func New(portal *portal.Portal, web *web.Web) *Pages {
	return &Pages{
		portal: portal,
		Shares: NewShares(),
		web:    web,
	}
}
