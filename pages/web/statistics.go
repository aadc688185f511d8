package web

import (
	"portico/portal/core"
	"portico/portal/signin"
)

// StatisticsPages counts page views, and makes pages report them to a company's own statistics.
type StatisticsPages struct {
	core    *core.Core
	landing *signin.Landing

	request *Requests
	native  *NativePages
}

// NewStatistics returns the StatisticsPages of one program.
func NewStatistics(
	core *core.Core, landing *signin.Landing, request *Requests, native *NativePages,
) *StatisticsPages {
	return &StatisticsPages{core: core, landing: landing, request: request, native: native}
}
