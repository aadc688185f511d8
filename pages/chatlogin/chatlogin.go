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
	"portico/portal/sealing"
	"portico/portal/sessions"
)

// Portal holds the operations of portal that these pages call.
type Portal struct {
	Access    *access.Access
	Accounts  *accounts.Accounts
	Chatapps  *chatapps.Chatapps
	Chatlogin *chatlogin.Chatlogin
	Sealing   *sealing.Sealing
	Sessions  *sessions.Sessions
}

// Pages shows the pages of a sign-in by WeChat or WeCom.
type Pages struct {
	portal Portal

	request *request.Requests
	web     *web.Web
	forms   *forms.Pages
	entry   *entrypages.Pages
}

// New returns the pages of a sign-in by WeChat or WeCom.
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
