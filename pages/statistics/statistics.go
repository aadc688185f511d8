// Package statistics counts page views for the platform and for companies.
package statistics

import (
	"portico/pages/native"
	"portico/pages/request"
	"portico/portal/core"
	"portico/portal/signin"
)

// Portal has what these pages call.
type Portal struct {
	Core    *core.Core
	Landing *signin.Landing
}

// Pages counts page views.
type Pages struct {
	portal Portal

	request *request.Requests
	native  *native.Pages
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o request.Platform,
	portal Portal,
	request *request.Requests,
	native *native.Pages,
) *Pages {
	return &Pages{
		portal:  portal,
		request: request,
		native:  native,
	}
}
