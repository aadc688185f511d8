// Package office has the first page of a back office, and the pages of people, customers and visits.
package office

import (
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/core"
	"portico/portal/office"
)

// Portal has what these pages call.
type Portal struct {
	Core       *core.Core
	Backoffice *office.Backoffice
	Overview   *office.Overview
}

// Pages shows the back office.
type Pages struct {
	portal Portal
	path   string

	request *web.Requests
	web     *web.Web
	forms   *forms.Pages
	site    *site.Site
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	request *web.Requests,
	web *web.Web,
	forms *forms.Pages,
	site *site.Site,
) *Pages {
	return &Pages{
		portal:  portal,
		path:    o.Path,
		request: request,
		web:     web,
		forms:   forms,
		site:    site,
	}
}
