// Package statistics counts page views for the platform and for companies.
package statistics

import (
	"portico/pages/native"
	"portico/pages/request"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/landing"
)

// Portal has the districts of portal that these pages call.
type Portal struct {
	Access     *access.Access
	Landing    *landing.Landing
	Statistics *core.Statistics
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
