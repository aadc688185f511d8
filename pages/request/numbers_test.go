package request

import (
	"testing"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxAgents":     {maxAgents, 1024},
		"maxAgent":      {maxAgent, 512},
		"MinuteSeconds": {MinuteSeconds, 60},
		"SilentSeconds": {SilentSeconds, 600},
		"DaySeconds":    {DaySeconds, 24 * 60 * 60},
		"monthSeconds":  {monthSeconds, 30 * 24 * 60 * 60},
		"YearSeconds":   {YearSeconds, 365 * 24 * 60 * 60},
		"MaxForm":       {MaxForm, 32 << 10},
	}, nil)
}
