package web

import (
	"net/url"

	"portico/portal/core"
)

// NativePortal has what these pages call.
type NativePortal struct {
	Core *core.Core
}

// NativePages adds to pages what the native app needs.
type NativePages struct {
	portal      NativePortal
	base        *url.URL
	production  bool
	appVersions map[string]string

	Simulated *SimulatedApps

	request *Requests
}

// NewNative returns the NativePages of one program. The other arguments are the packages that it calls.
func NewNative(
	o Platform,
	portal NativePortal,
	simulated *SimulatedApps,
	request *Requests,
) *NativePages {
	return &NativePages{
		portal:      portal,
		base:        o.Base,
		production:  o.Production,
		appVersions: o.AppVersions,
		Simulated:   simulated,
		request:     request,
	}
}
