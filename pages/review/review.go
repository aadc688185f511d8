// Package review has the pages on which staff decide applications.
package review

import (
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal"
	"portico/store"
)

// Pages shows applications to staff and stores their decisions.
type Pages struct {
	portal *portal.Portal
	path   string
	slot   store.Slot

	web   *web.Web
	forms *forms.Pages
	site  *site.Site
}

// New returns the Pages of one program.
func New(portal *portal.Portal, web *web.Web, forms *forms.Pages, site *site.Site) *Pages {
	return &Pages{
		portal: portal,
		path:   site.Path(),
		slot:   site.Slot(),
		web:    web,
		forms:  forms,
		site:   site,
	}
}
