// Package onboarding has the pages to register a company and to try the product.
package onboarding

import (
	"net/url"

	"portico/portal/core"
	"portico/portal/credentials"

	applicationpages "portico/pages/application"
	chatloginpages "portico/pages/chatlogin"
	entrypages "portico/pages/entry"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/onboarding"
	"portico/portal/signin"
)

// Portal has what these pages call.
type Portal struct {
	Core        *core.Core
	Accounts    *signin.Accounts
	Chatapps    *signin.Chatapps
	Credentials *credentials.Credentials
	Onboarding  *onboarding.Onboarding
}

// Pages shows the pages of registration and trial.
type Pages struct {
	portal Portal
	base   *url.URL

	request     *web.Requests
	web         *web.Web
	forms       *forms.Pages
	entry       *entrypages.Pages
	chatlogin   *chatloginpages.Pages
	application *applicationpages.Pages
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	request *web.Requests,
	web *web.Web,
	forms *forms.Pages,
	entry *entrypages.Pages,
	chatlogin *chatloginpages.Pages,
	application *applicationpages.Pages,
) *Pages {
	return &Pages{
		portal:      portal,
		base:        o.Base,
		request:     request,
		web:         web,
		forms:       forms,
		entry:       entry,
		chatlogin:   chatlogin,
		application: application,
	}
}
