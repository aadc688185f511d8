// Package office has the first page of a back office, and the pages of people, customers and visits.
package office

import (
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal"
)

// Pages shows the back office.
type Pages struct {
	portal *portal.Portal
	path   string

	web   *web.Web
	forms *forms.Pages
	site  *site.Site
}

// New returns the Pages of one program.
func New(portal *portal.Portal, web *web.Web, forms *forms.Pages, site *site.Site) *Pages {
	return &Pages{
		portal: portal,
		path:   site.Path(),
		web:    web,
		forms:  forms,
		site:   site,
	}
}
