package statistics

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxViewCount":   {maxViewCount, 200},
		"MaxMenuChoices": {MaxMenuChoices, 60},
		"menuAddresses":  {menuAddresses, 4096},
		"ViewsWritten":   {ViewsWritten, 5 * time.Second},
		"ViewsKept":      {ViewsKept, 400},
		"viewsHeld":      {viewsHeld, 4096},
		"viewsWaiting":   {viewsWaiting, 32_768},
		"viewsAtOnce":    {viewsAtOnce, 200},
	}, map[string]string{
		"SignInDays": "how much a page shows",
		"VisitWeek":  "how much a page shows",
		"viewShards": "speed",
	})
}
