package web

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"SignInPagesSize": {SignInPagesSize, 8 << 20},
		"PageOverhead":    {PageOverhead, 2 << 10},
		"ProtectedShare":  {ProtectedShare, 80},
		"PagesToCompress": {PagesToCompress, 256},
		"CompressPause":   {CompressPause, 500 * time.Millisecond},
		"returnSeconds":   {returnSeconds, 3600},
		"maxReturn":       {maxReturn, 400},
	}, map[string]string{
		"tooSmall": "speed, not protection",
	})
}
