package server

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"headerTimeout":   {headerTimeout, 5 * time.Second},
		"bodyTimeout":     {bodyTimeout, 30 * time.Second},
		"writeTimeout":    {writeTimeout, 30 * time.Second},
		"idleTimeout":     {idleTimeout, 60 * time.Second},
		"maxHeaderBytes":  {maxHeaderBytes, 32 << 10},
		"maxStreams":      {maxStreams, 100},
		"maxRequestID":    {maxRequestID, 64},
		"shutdownTimeout": {shutdownTimeout, 20 * time.Second},
		"readyTimeout":    {readyTimeout, time.Second},
		"doctorTime":      {doctorTime, time.Minute},
		"askTime":         {askTime, 2 * time.Second},
		"readyCacheTime":  {readyCacheTime, 200 * time.Millisecond},
	}, map[string]string{
		"batchDelay": "how soon the log is written",
		"batchBytes": "how soon the log is written",
	})
}
