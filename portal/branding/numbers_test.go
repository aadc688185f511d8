package branding

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxDomains":       {MaxDomains, 5},
		"DomainChecks":     {DomainChecks, 10},
		"LookUpTime":       {LookUpTime, 3 * time.Second},
		"DomainCheckEvery": {DomainCheckEvery, 24 * time.Hour},
		"DomainLapse":      {DomainLapse, 3 * 24 * time.Hour},
		"domainLease":      {domainLease, time.Minute},
		"domainBatch":      {domainBatch, 10},
		"LookDraftKept":    {LookDraftKept, 24 * time.Hour},
		"LookShown":        {LookShown, 10 * time.Minute},
		"MaxGreeting":      {MaxGreeting, 80},
		"maxDraftStyle":    {maxDraftStyle, 60 << 10},
	}, map[string]string{
		"styleEdition": "the version of a format",
	})
}
