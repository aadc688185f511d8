// Package credentials has the pages to bind a phone, change a password and edit a profile.
package credentials

import (
	entrypages "portico/pages/entry"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/signin"
)

// Portal has what these pages call.
type Portal struct {
	Core        *core.Core
	Accounts    *signin.Accounts
	Binding     *credentials.Binding
	Credentials *credentials.Credentials
	Profiles    *credentials.Profiles
}

// Pages shows the pages for phones, passwords and the profile.
type Pages struct {
	portal Portal

	request *web.Requests
	web     *web.Web
	forms   *forms.Pages
	entry   *entrypages.Pages
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	request *web.Requests,
	web *web.Web,
	forms *forms.Pages,
	entry *entrypages.Pages,
) *Pages {
	return &Pages{
		portal:  portal,
		request: request,
		web:     web,
		forms:   forms,
		entry:   entry,
	}
}
