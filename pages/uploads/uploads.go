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

	web *web.Web
}

// New returns the Pages of one program.
func New(core *core.Core, web *web.Web) *Pages {
	return &Pages{
		core: core,
		log:  web.Platform.Log,
		web:  web,
	}
}
