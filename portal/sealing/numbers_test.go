package sealing

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"ResealAtOnce":    {ResealAtOnce, 500},
		"MinSecret":       {MinSecret, 32},
		"sealingKeyBytes": {sealingKeyBytes, 32},
		"hashKeyBytes":    {hashKeyBytes, 32},
		"keyIDBytes":      {keyIDBytes, 4},
		"hashKeyWait":     {hashKeyWait, 10 * time.Second},
	}, map[string]string{})
}
