package stylesheet

import (
	"testing"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxStyle":         {MaxStyle, 20 << 10},
		"MaxStyleProblems": {MaxStyleProblems, 5},
		"maxStyleServed":   {maxStyleServed, 96 << 10},
		"maxStyleNumber":   {maxStyleNumber, 12},
		"maxStyleQuote":    {maxStyleQuote, 40},
		"maxSelectors":     {maxSelectors, 20},
		"maxCompounds":     {maxCompounds, 8},
		"largestType":      {largestType, 48},
	}, map[string]string{})
}
