package backup

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"Format":           {Format, 1},
		"fingerprintBytes": {fingerprintBytes, 12},
		"maxManifest":      {maxManifest, 1 << 20},
		"partSize":         {partSize, 16 << 20},
		"fileMode":         {fileMode, 0o600},
		"leftoverAge":      {leftoverAge, time.Hour},
	}, nil)
}
