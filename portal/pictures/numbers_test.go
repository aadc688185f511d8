package pictures

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"AbandonedAtOnce": {AbandonedAtOnce, 100},
		"PortraitSide":    {PortraitSide, 320},
		"MaxSide":         {MaxSide, 8192},
		"MaxPixels":       {MaxPixels, 25_000_000},
		"Decodes":         {Decodes, 2},
		"DecodeTime":      {DecodeTime, 5 * time.Second},
		"DecodeWait":      {DecodeWait, 20 * time.Second},
		"decodeMemory":    {decodeMemory, 200 << 20},
		"decodeHeavy":     {decodeHeavy, 64 << 20},
		"maxScans":        {maxScans, 100},
		"readAtOnce":      {readAtOnce, 512},
		"maxKept":         {maxKept, 16 << 20},
		"maxTags":         {maxTags, 1000},
		"UploadsADay":     {UploadsADay, 20},
		"AbandonedAfter":  {AbandonedAfter, 24 * time.Hour},
	}, map[string]string{
		"jpegQuality": "how pictures look",
		"IconSide":    "how pictures look",
		"LongestSide": "how pictures look",
		"WelcomeSide": "how pictures look",
		"ProductSide": "how pictures look",
		"stripRows":   "how pictures are drawn",
	})
}
