// Package forms has the general form, its fields and verification codes.
package forms

import (
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/chatlogin"
	"portico/portal/core"
)

// Portal has the districts of portal that these pages call.
type Portal struct {
	Chatlogin    *chatlogin.Chatlogin
	Limits       *core.Limits
	Passwords    *core.Passwords
	Sealing      *core.Sealing
	Sessions     *core.Sessions
	Verification *core.Verification
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
