package credentials

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"PasswordChanges":      {PasswordChanges, 10},
		"FirstPasswordLife":    {FirstPasswordLife, 7 * 24 * time.Hour},
		"FirstPasswordsAnHour": {FirstPasswordsAnHour, 50},
		"firstPasswordLength":  {firstPasswordLength, 12},
	}, map[string]string{})
}
