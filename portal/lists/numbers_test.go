package lists_test

import (
	"testing"
	"time"

	"portico/constanttest"
	"portico/portal/lists"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"CountShown":    {lists.CountShown, 1000},
		"ExportStep":    {lists.ExportStep, 500},
		"MostFilters":   {lists.MostFilters, 12},
		"MaxFilterName": {lists.MaxFilterName, 30},
		"MostChosen":    {lists.MostChosen, 200},
		"RunTime":       {lists.RunTime, 20 * time.Second},
		"MaxSearch":     {lists.MaxSearch, 200},
	}, map[string]string{})
}
