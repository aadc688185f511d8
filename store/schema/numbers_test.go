package schema

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"LockTime": {LockTime, 2 * time.Second},
		"Pause":    {Pause, time.Second},
		"Patience": {Patience, 5 * time.Minute},
	}, map[string]string{
		"withdrawTime":  "how soon a program that was asked to stop has stopped",
		"migrationPoll": "how soon a process that waits continues",
	})
}
