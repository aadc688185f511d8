// Package forms has the general form, its fields and verification codes.
package forms

import (
	"portico/pages/web"
	"portico/portal/core"
	"portico/portal/signin"
)

// Pages renders the general form and sends verification codes.
type Pages struct {
	core      *core.Core
	chatlogin *signin.Chatlogin

	regionLists RegionLists

	web *web.Web
}

// New returns the Pages of one program.
func New(core *core.Core, chatlogin *signin.Chatlogin, web *web.Web) *Pages {
	return &Pages{
		core:      core,
		chatlogin: chatlogin,
		web:       web,
	}
}
