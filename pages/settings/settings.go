// Package settings has the pages of a company's settings.
package settings

import (
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/application"
	"portico/portal/chatlogin"
	"portico/portal/office"
	"portico/portal/onboarding"
)

// Portal has what these pages call.
type Portal struct {
	Application *application.Application
	Backoffice  *office.Backoffice
	Chatlogin   *chatlogin.Chatlogin
	Onboarding  *onboarding.Onboarding
}

// Pages shows the settings of a company.
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
