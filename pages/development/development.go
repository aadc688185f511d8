// Package development has the pages that exist in development only.
package development

import (
	"portico/pages/web"
	"portico/portal"
)

// Pages shows the pages for development: the inbox and the simulated app.
type Pages struct {
	portal     *portal.Portal
	production bool

	Inbox Inbox

	web *web.Web
}

// New returns the Pages of one program.
func New(portal *portal.Portal, inbox Inbox, web *web.Web) *Pages {
	return &Pages{
		portal:     portal,
		production: web.Platform.Production,
		Inbox:      inbox,
		web:        web,
	}
}
