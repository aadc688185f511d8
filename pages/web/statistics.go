package web

import (
	"portico/portal/core"
	"portico/portal/signin"
)

// PageViews counts page views, and makes pages report them to a company's own statistics.
type PageViews struct {
	core    *core.Core
	landing *signin.Landing

	request *Requests
	native  *NativePages
}

// NewStatistics returns the PageViews of one program.
func NewStatistics(
	core *core.Core, landing *signin.Landing, request *Requests, native *NativePages,
) *PageViews {
	return &PageViews{core: core, landing: landing, request: request, native: native}
}
