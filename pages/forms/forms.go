// Package forms has the general form, its fields and verification codes.
package forms

import (
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

	request *web.Requests
	web     *web.Web
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	request *web.Requests,
	web *web.Web,
) *Pages {
	return &Pages{
		portal:  portal,
		request: request,
		web:     web,
	}
}
