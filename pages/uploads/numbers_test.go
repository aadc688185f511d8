package uploads

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxPageForm":    {MaxPageForm, 20 << 20},
		"maxParts":       {maxParts, 100},
		"maxBetween":     {maxBetween, 16 << 10},
		"readAhead":      {readAhead, 4 << 10},
		"maxDisposition": {maxDisposition, 1 << 10},
		"refusedTime":    {refusedTime, 5 * time.Second},
		"answerTime":     {answerTime, 45 * time.Second},
	}, nil)
}
