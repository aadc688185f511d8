package passwords

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"HashPlaces":        {HashPlaces, 64},
		"HashCrowded":       {HashCrowded, 32},
		"HashWait":          {HashWait, 2 * time.Second},
		"HashRetry":         {HashRetry, 2 * time.Second},
		"delaysKept":        {delaysKept, 64},
		"HashWaitingNarrow": {HashWaitingNarrow, 4},
		"HashWaitingMiddle": {HashWaitingMiddle, 8},
		"HashWaitingWide":   {HashWaitingWide, 32},
		"provenShare":       {provenShare, 4},
		"freeShare":         {freeShare, 4},
		"sharedPhoneDigits": {sharedPhoneDigits, 6},
		"sharedName":        {sharedName, 4},
		"sharedPart":        {sharedPart, 5},
		"sharedCore":        {sharedCore, 3},
		"saltBytes":         {saltBytes, 16},
		"hashBytes":         {hashBytes, 32},
	}, map[string]string{
		"shortestRun": "the rules of guessable passwords, checked by their tests",
	})
}
