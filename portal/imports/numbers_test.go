package imports

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MostRows":     {MostRows, 1000},
		"RunTime":      {RunTime, 20 * time.Second},
		"FilesADay":    {FilesADay, 100},
		"mostUnpacked": {mostUnpacked, 4 << 20},
		"mostBeside":   {mostBeside, 512 << 10},
		"mostCells":    {mostCells, 200_000},
		"mostColumns":  {mostColumns, 30},
		"mostCell":     {mostCell, 600},
		"mostLine":     {mostLine, 64 << 10},
		"mostStored":   {mostStored, 1 << 20},
		"headsWithin":  {headsWithin, 10},
		"mostBlank":    {mostBlank, 20_000},
	}, map[string]string{})
}
