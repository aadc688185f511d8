// Package development has the pages that exist in development only.
package development

import (
	"portico/pages/web"
	"portico/portal/signin"
)

// Pages shows the pages for development: the inbox and the simulated app.
type Pages struct {
	landing    *signin.Landing
	production bool

	Inbox Inbox

	request *web.Requests
	native  *web.NativePages
	web     *web.Web
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	landing *signin.Landing,
	inbox Inbox,
	request *web.Requests,
	native *web.NativePages,
	web *web.Web,
) *Pages {
	return &Pages{
		landing:    landing,
		production: o.Production,
		Inbox:      inbox,
		request:    request,
		native:     native,
		web:        web,
	}
}
