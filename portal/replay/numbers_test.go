package replay

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"KeyKept":         {KeyKept, 24 * time.Hour},
		"KeyWait":         {KeyWait, 10 * time.Second},
		"keyClaim":        {keyClaim, time.Minute},
		"keyLook":         {keyLook, 50 * time.Millisecond},
		"keyRetry":        {keyRetry, 2 * time.Second},
		"keyLooks":        {keyLooks, 10},
		"RepeatWindow":    {RepeatWindow, 5 * time.Minute},
		"SignatureWindow": {SignatureWindow, 5 * time.Minute},
		"SignaturesKept":  {SignaturesKept, 10 * time.Minute},
		"SignaturesHeld":  {SignaturesHeld, 200_000},
		"ReadsNoted":      {ReadsNoted, 500},
		"ReadsNotedEvery": {ReadsNotedEvery, 100 * time.Millisecond},
		"shortSignature":  {shortSignature, 16},
		"readsOverlap":    {readsOverlap, 5 * time.Second},
	}, map[string]string{})
}
