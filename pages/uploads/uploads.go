// Package uploads reads forms that are sent with a file.
package uploads

import (
	"log/slog"

	"portico/pages/web"
	"portico/portal/core"
)

// Pages reads forms with a file.
type Pages struct {
	core *core.Core
	log  *slog.Logger

	request *web.Requests
	web     *web.Web
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	core *core.Core,
	request *web.Requests,
	web *web.Web,
) *Pages {
	return &Pages{
		core:    core,
		log:     o.Log,
		request: request,
		web:     web,
	}
}
