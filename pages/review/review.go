// Package review has the pages on which staff decide applications.
package review

import (
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// Portal has what these pages call.
type Portal struct {
	Core        *core.Core
	Application *application.Application
	Landing     *signin.Landing
	Licences    *application.Licences
}

// Pages shows applications to staff and stores their decisions.
type Pages struct {
	portal Portal
	path   string
	slot   store.Slot

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
		slot:    o.Slot,
		request: request,
		web:     web,
		forms:   forms,
		site:    site,
	}
}
