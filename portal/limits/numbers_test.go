package limits

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"Hour":               {Hour, time.Hour},
		"WorkBits":           {WorkBits, 17},
		"MaxWorkBits":        {MaxWorkBits, 20},
		"crowdProofsHeld":    {crowdProofsHeld, 50_000},
		"FormKept":           {FormKept, 24 * time.Hour},
		"FormsKept":          {FormsKept, 10},
		"FailureWindow":      {FailureWindow, 15 * time.Minute},
		"BadCodes":           {BadCodes, 60},
		"CodesIssued":        {CodesIssued, 60},
		"LookupLimit":        {LookupLimit, 10},
		"LookupLimitMiddle":  {LookupLimitMiddle, 100},
		"LookupLimitWide":    {LookupLimitWide, 1000},
		"LookupWindow":       {LookupWindow, time.Hour},
		"DeviceKnownFor":     {DeviceKnownFor, 180 * 24 * time.Hour},
		"DeviceNotedFor":     {DeviceNotedFor, 24 * time.Hour},
		"AttemptsKept":       {AttemptsKept, 30 * 24 * time.Hour},
		"PublicCallsNarrow":  {PublicCallsNarrow, 300},
		"PublicCallsMiddle":  {PublicCallsMiddle, 1500},
		"PublicCallsWide":    {PublicCallsWide, 10000},
		"PublicNetworksHeld": {PublicNetworksHeld, 100_000},
		"QuestionLife":       {QuestionLife, 10 * time.Minute},
	}, map[string]string{})
}
