package onboarding

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"SandboxLife":   {SandboxLife, 7 * 24 * time.Hour},
		"JanitorHold":   {JanitorHold, 10 * time.Millisecond},
		"JanitorRest":   {JanitorRest, 20 * time.Millisecond},
		"TrialLife":     {TrialLife, 15 * 24 * time.Hour},
		"CompaniesADay": {CompaniesADay, 5},
	}, map[string]string{
		"demoYear":          "demo data",
		"demoClientPartner": "demo data",
		"demoClientEnded":   "demo data",
		"demoClientLights":  "demo data",
		"demoClientNotOpen": "demo data",
		"demoClientTrial":   "demo data",
		"DemoCompany":       "demo data",
		"janitorList":       "how many rows are read at a time",
	})
}
