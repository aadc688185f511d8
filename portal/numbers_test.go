package portal

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"SweepLease":  {SweepLease, 10 * time.Minute},
		"SweepExtend": {SweepExtend, time.Minute},
		"SweepRest":   {SweepRest, 20 * time.Millisecond},
	}, map[string]string{})
}
