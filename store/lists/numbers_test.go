package lists

import (
	"testing"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MostFound":   {MostFound, 1001},
		"MostCounted": {MostCounted, 1001},
		"wholePhone":  {wholePhone, 11},
		"leastPhone":  {leastPhone, 10},
		"mostPhones":  {mostPhones, 10},
		"textsAtOnce": {textsAtOnce, 20},
	}, map[string]string{})
}
