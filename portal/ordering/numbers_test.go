package ordering

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxQuantity":   {MaxQuantity, 9999},
		"OrdersShown":   {OrdersShown, 30},
		"OrderedAgain":  {OrderedAgain, 5 * time.Minute},
		"ProductsShown": {ProductsShown, 60},
		"MaxCartLines":  {MaxCartLines, 100},
		"MaxNote":       {MaxNote, 300},
		"CartKept":      {CartKept, 180 * 24 * time.Hour},
	}, map[string]string{})
}
