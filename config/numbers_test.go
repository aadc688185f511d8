package config

import (
	"testing"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxSecretFile":   {maxSecretFile, 64 << 10},
		"minDifferent":    {minDifferent, 12},
		"maxMessagesADay": {maxMessagesADay, 10_000_000},
		"mostDaysKept":    {mostDaysKept, 36_500},
	}, nil)
}
