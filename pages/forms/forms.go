// Package forms has the general form, its fields and verification codes.
package forms

import (
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/chatlogin"
	"portico/portal/core"
)

// Portal has what these pages call.
type Portal struct {
	Core      *core.Core
	Chatlogin *chatlogin.Chatlogin
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
