package credentials

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"PasswordChanges":      {PasswordChanges, 10},
		"FirstPasswordLife":    {FirstPasswordLife, 7 * 24 * time.Hour},
		"FirstPasswordsAnHour": {FirstPasswordsAnHour, 50},
		"firstPasswordLength":  {firstPasswordLength, 12},
	}, map[string]string{})
}
