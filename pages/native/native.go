// Package native serves the native app, and plays one in development.
package native

import (
	"net/url"

	"portico/pages/request"
	"portico/portal/sessions"
)

// Portal has the districts of portal that these pages call.
type Portal struct {
	Sessions *sessions.Sessions
}

// Pages serves pages to the native app.
type Pages struct {
	portal      Portal
	base        *url.URL
	production  bool
	appVersions map[string]string

	Played *PlayedApps

	request *request.Requests
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o request.Platform,
	portal Portal,
	played *PlayedApps,
	request *request.Requests,
) *Pages {
	return &Pages{
		portal:      portal,
		base:        o.Base,
		production:  o.Production,
		appVersions: o.AppVersions,
		Played:      played,
		request:     request,
	}
}
