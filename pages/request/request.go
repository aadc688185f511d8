// Package request reads what a browser sends: place, language, session, cookies and form.
package request

import (
	"log/slog"
	"net/http"
	"net/url"
	"portico/portal/access"
	"portico/portal/sessions"

	"github.com/alexedwards/scs/v2"

	"portico/locale"
	"portico/store"
)

// Platform holds the settings of the installation that the packages of pages share.
type Platform struct {
	Base        *url.URL // scheme and {host} of the platform
	Production  bool
	Log         *slog.Logger
	FormAction  string
	Agreements  func(locale.Lang) []locale.AgreementText
	Routed      func(r *http.Request, route string)
	AppVersions map[string]string
	Sessions    *scs.SessionManager
	Guard       *http.CrossOriginProtection
	Path        string
	Slot        store.Slot
}

// Portal holds the operations of portal that this package calls.
type Portal struct {
	Access   *access.Access
	Sessions *sessions.Sessions
}

// Requests reads what a browser sends and keeps its session, cookies and language.
type Requests struct {
	portal     Portal
	production bool
	sessions   *scs.SessionManager

	Agents Agents
}

// New returns the Requests of an installation.
func New(
	o Platform,
	portal Portal,
) *Requests {
	return &Requests{
		portal:     portal,
		production: o.Production,
		sessions:   o.Sessions,
	}
}
