package otlp

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxWaiting":    {MaxWaiting, 2048},
		"MaxForced":     {MaxForced, 50},
		"SendEvery":     {SendEvery, 2 * time.Second},
		"SendTime":      {SendTime, 10 * time.Second},
		"StopTime":      {StopTime, 2 * time.Second},
		"maxBatch":      {maxBatch, 512},
		"maxAttributes": {maxAttributes, 16},
		"maxValue":      {maxValue, 128},
		"maxAnswer":     {maxAnswer, 4 << 10},
		"firstPause":    {firstPause, time.Second},
	}, nil)
}
