package config

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxSecretFile":   {maxSecretFile, 64 << 10},
		"minDifferent":    {minDifferent, 12},
		"maxMessagesADay": {maxMessagesADay, 10_000_000},
		"mostDaysKept":    {mostDaysKept, 36_500},

		"leastBackupEvery": {leastBackupEvery, time.Hour}, "mostBackupEvery": {mostBackupEvery, 720 * time.Hour},
		"mostBackups": {mostBackups, 1000},
	}, nil)
}
