package lists_test

import (
	"testing"

	"portico/constanttest"
	"portico/portal/lists"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"CountShown": {lists.CountShown, 1000},
		"ExportStep": {lists.ExportStep, 500},
		"MaxSearch":  {lists.MaxSearch, 200},
	}, map[string]string{})
}
