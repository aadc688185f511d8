package products

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxPrice":      {MaxPrice, 1_000_000_000},
		"MaxStock":      {MaxStock, 9_999_999},
		"MaxCategories": {MaxCategories, 200},
		"AddedAgain":    {AddedAgain, 5 * time.Minute},
		"PicturesADay":  {PicturesADay, 500},
		"MaxName":       {MaxName, 80},
		"MaxNumber":     {MaxNumber, 40},
		"MaxCategory":   {MaxCategory, 40},
		"MaxSpec":       {MaxSpec, 60},
		"MaxUnit":       {MaxUnit, 20},
		"MaxPriced":     {MaxPriced, 20},
		"MaxStocked":    {MaxStocked, 12},
	}, map[string]string{})
}
