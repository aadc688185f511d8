package store

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"OperationTime": {OperationTime, 3 * time.Second},
		"SweepStep":     {SweepStep, 1000},
		"MinSQLite":     {MinSQLite, 3_051_003},
		"TidyTime":      {TidyTime, 500 * time.Millisecond},
	}, map[string]string{
		"TypeAdministrator": "a value of the API, held by its tests",
		"TypeEmployee":      "a value of the API, held by its tests",
		"TypeShop":          "a value of the API, held by its tests",
		"firstPause":        "the pauses between tries only spread them",
		"longestPause":      "the pauses between tries only spread them",
	})
}
