package api

import (
	"testing"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxBody":       {maxBody, 64 << 10},
		"maxParameters": {maxParameters, 1000},
		"maxHeader":     {maxHeader, 256},
		"maxKey":        {maxKey, 64},
	}, map[string]string{
		"treeCompression": "speed and size, not protection",
	})
}
