package signin

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"ApplicantLife":      {ApplicantLife, 15 * time.Minute},
		"IdentityTicketLife": {IdentityTicketLife, 10 * time.Minute},
		"FreeFailures":       {FreeFailures, 4},
		"ProofFailures":      {ProofFailures, 10},
		"OffFailures":        {OffFailures, 100},
		"LongestWait":        {LongestWait, 15 * time.Minute},
		"AddressFailures":    {AddressFailures, 30},
		"AddressCredit":      {AddressCredit, 3},
		"offFor":             {offFor, 100 * 365 * 24 * time.Hour},
		"FreshSession":       {FreshSession, 10 * time.Minute},
	}, map[string]string{})
}
