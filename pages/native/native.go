// Package native has what pages do inside the native app, and the simulated app of development.
package native

import (
	"net/url"

	"portico/pages/request"
	"portico/portal/core"
)

// Portal has what these pages call.
type Portal struct {
	Core *core.Core
}

// Pages adds to pages what the native app needs.
type Pages struct {
	portal      Portal
	base        *url.URL
	production  bool
	appVersions map[string]string

	Simulated *SimulatedApps

	request *request.Requests
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o request.Platform,
	portal Portal,
	simulated *SimulatedApps,
	request *request.Requests,
) *Pages {
	return &Pages{
		portal:      portal,
		base:        o.Base,
		production:  o.Production,
		appVersions: o.AppVersions,
		Simulated:   simulated,
		request:     request,
	}
}
