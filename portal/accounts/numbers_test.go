package accounts

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"InvitationLife":  {InvitationLife, 7 * 24 * time.Hour},
		"DeclinedFor":     {DeclinedFor, 90 * 24 * time.Hour},
		"DeclinesAMonth":  {DeclinesAMonth, 10},
		"DeclinesCounted": {DeclinesCounted, 30 * 24 * time.Hour},
		"DeclinesPause":   {DeclinesPause, 24 * time.Hour},
		"MostWaiting":     {MostWaiting, 99},
		"countedOffices":  {countedOffices, 5},
	}, map[string]string{
		"applicationsRead": "how many rows are read at a time",
	})
}
