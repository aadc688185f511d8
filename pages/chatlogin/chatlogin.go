// Package chatlogin has the pages of a sign-in by WeChat or WeCom.
package chatlogin

import (
	entrypages "portico/pages/entry"
	"portico/pages/forms"
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/core"
)

// Portal has the districts of portal that these pages call.
type Portal struct {
	Access    *access.Access
	Accounts  *accounts.Accounts
	Chatapps  *chatapps.Chatapps
	Chatlogin *chatlogin.Chatlogin
	Sealing   *core.Sealing
	Sessions  *core.Sessions
}

// Pages shows the pages of a sign-in by WeChat or WeCom.
type Pages struct {
	portal Portal

	request *request.Requests
	web     *web.Web
	forms   *forms.Pages
	entry   *entrypages.Pages
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o request.Platform,
	portal Portal,
	request *request.Requests,
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
