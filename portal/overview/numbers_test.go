package overview

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"SetupShown":       {SetupShown, 30 * 24 * time.Hour},
		"SalesDays":        {SalesDays, 14},
		"ApplicationWeeks": {ApplicationWeeks, 8},
		"applicationsRead": {applicationsRead, 1000},
	}, map[string]string{
		"officeLatest": "how much a page shows",
	})
}
