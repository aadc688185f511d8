// Package application has the pages on which a business applies to become a company's customer.
package application

import (
	"net/url"
	"portico/portal/core"

	"portico/pages/forms"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/application"
	"portico/portal/chatlogin"
	"portico/portal/onboarding"
	"portico/portal/signin"
)

// Portal has what these pages call.
type Portal struct {
	Core        *core.Core
	Accounts    *signin.Accounts
	Application *application.Application
	Chatlogin   *chatlogin.Chatlogin
	Licences    *application.Licences
	Onboarding  *onboarding.Onboarding
}

// Pages shows the application form and the state of an application to the applicant.
type Pages struct {
	portal Portal
	base   *url.URL

	request *web.Requests
	web     *web.Web
	forms   *forms.Pages
	uploads *uploads.Pages
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	request *web.Requests,
	web *web.Web,
	forms *forms.Pages,
	uploads *uploads.Pages,
) *Pages {
	return &Pages{
		portal:  portal,
		base:    o.Base,
		request: request,
		web:     web,
		forms:   forms,
		uploads: uploads,
	}
}
