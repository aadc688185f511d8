package web

import (
	"net/url"

	"portico/portal/core"
)

// NativePages adds to pages what the native app needs.
type NativePages struct {
	core        *core.Core
	base        *url.URL
	production  bool
	appVersions map[string]string

	Simulated *SimulatedApps

	request *Requests
}

// NewNative returns the NativePages of one program. simulated is nil in production.
func NewNative(o Platform, core *core.Core, simulated *SimulatedApps, request *Requests) *NativePages {
	return &NativePages{
		core:        core,
		base:        o.Base,
		production:  o.Production,
		appVersions: o.AppVersions,
		Simulated:   simulated,
		request:     request,
	}
}
