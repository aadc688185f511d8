// Package uploads reads forms that are sent with a file.
package uploads

import (
	"log/slog"

	"portico/pages/web"
	"portico/portal/core"
)

// Portal has what these pages call.
type Portal struct {
	Core *core.Core
}

// Pages reads forms with a file.
type Pages struct {
	portal Portal
	log    *slog.Logger

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
		log:     o.Log,
		request: request,
		web:     web,
	}
}
