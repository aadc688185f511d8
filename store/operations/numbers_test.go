package operations

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"AtOnce": {AtOnce, 256},
		"Narrow": {Narrow, 64},
		"Middle": {Middle, 128},
		"Wide":   {Wide, 192},

		"SlowStatement": {SlowStatement, time.Second},
		"slowRest":      {slowRest, time.Second},
	}, nil)
}
