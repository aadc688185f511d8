package web

import (
	"log/slog"
	"net/http"
	"net/url"

	"github.com/alexedwards/scs/v2"

	"portico/locale"
	"portico/portal/core"
)

// Platform has the settings that all pages read.
type Platform struct {
	Base        *url.URL // scheme and {host} of the platform
	Production  bool
	Log         *slog.Logger
	FormAction  string
	Agreements  func(locale.Lang) []locale.AgreementText
	AppVersions map[string]string
	Sessions    *scs.SessionManager
	Guard       *http.CrossOriginProtection
}

// Requests reads what a browser sends and keeps its session, cookies and language.
type Requests struct {
	core       *core.Core
	production bool
	sessions   *scs.SessionManager

	Agents Agents
}

// NewRequests returns the Requests of one program.
func NewRequests(o Platform, core *core.Core) *Requests {
	return &Requests{
		core:       core,
		production: o.Production,
		sessions:   o.Sessions,
	}
}
