// Package forms has the general form, its fields and verification codes.
package forms

import (
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/chatlogin"
	"portico/portal/limits"
	"portico/portal/passwords"
	"portico/portal/sealing"
	"portico/portal/sessions"
	"portico/portal/verification"
)

// Portal has the districts of portal that these pages call.
type Portal struct {
	Chatlogin    *chatlogin.Chatlogin
	Limits       *limits.Limits
	Passwords    *passwords.Passwords
	Sealing      *sealing.Sealing
	Sessions     *sessions.Sessions
	Verification *verification.Verification
}

// Pages renders the general form and sends verification codes.
type Pages struct {
	portal Portal

	regionLists RegionLists

	request *request.Requests
	web     *web.Web
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o request.Platform,
	portal Portal,
	request *request.Requests,
	web *web.Web,
) *Pages {
	return &Pages{
		portal:  portal,
		request: request,
		web:     web,
	}
}
