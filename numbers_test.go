package main

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"checkDomainsEvery": {checkDomainsEvery, 10 * time.Minute},
		"sweepEvery":        {sweepEvery, 5 * time.Minute},
		"maxSettingLine":    {maxSettingLine, 4096},
	}, map[string]string{
		"gcPercent":  "speed and memory, not protection",
		"memoryBase": "speed and memory, not protection", "memoryPerCore": "speed and memory, not protection",
		"commitDigits": "how a commit is shown",
		"tableBlock":   "how soon a long table is printed",
		"maxDomains":   "how long the doctor takes",
	})
}
