package reports

import (
	"testing"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"HistoryShown": {HistoryShown, 50},
		"dayLength":    {dayLength, 86_400_000},
		"OrdersSummed": {OrdersSummed, 10_000},
	}, map[string]string{})
}
