// Package chatlogin has the pages of a sign-in by WeChat or WeCom.
package chatlogin

import (
	entrypages "portico/pages/entry"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/chatlogin"
	"portico/portal/core"
	"portico/portal/signin"
)

// Portal has what these pages call.
type Portal struct {
	Core      *core.Core
	Accounts  *signin.Accounts
	Chatapps  *signin.Chatapps
	Chatlogin *chatlogin.Chatlogin
	Signin    *signin.Signin
}

// Pages shows the pages of a sign-in by WeChat or WeCom.
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
