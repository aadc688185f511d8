package web

import (
	"portico/portal/core"
	"portico/portal/signin"
)

// StatisticsPortal has what these pages call.
type StatisticsPortal struct {
	Core    *core.Core
	Landing *signin.Landing
}

// StatisticsPages counts page views.
type StatisticsPages struct {
	portal StatisticsPortal

	request *Requests
	native  *NativePages
}

// NewStatistics returns the StatisticsPages of one program. The other arguments are the packages that it calls.
func NewStatistics(
	o Platform,
	portal StatisticsPortal,
	request *Requests,
	native *NativePages,
) *StatisticsPages {
	return &StatisticsPages{
		portal:  portal,
		request: request,
		native:  native,
	}
}
