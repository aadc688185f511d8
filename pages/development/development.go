// Package development has the pages that exist in development only.
package development

import (
	"portico/pages/web"
	"portico/portal/signin"
)

// Portal has what these pages call.
type Portal struct {
	Landing *signin.Landing
}

// Pages shows the pages for development: the inbox and the simulated app.
type Pages struct {
	portal     Portal
	production bool

	Inbox Inbox

	request *web.Requests
	native  *web.NativePages
	web     *web.Web
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	inbox Inbox,
	request *web.Requests,
	native *web.NativePages,
	web *web.Web,
) *Pages {
	return &Pages{
		portal:     portal,
		production: o.Production,
		Inbox:      inbox,
		request:    request,
		native:     native,
		web:        web,
	}
}
