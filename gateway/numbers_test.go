package gateway

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"requestTimeout":     {requestTimeout, 3 * time.Second},
		"maxAnswer":          {maxAnswer, 64 << 10},
		"idleTimeout":        {idleTimeout, 20 * time.Second},
		"maxIdleConnections": {maxIdleConnections, 4},
		"breakAfter":         {breakAfter, 5},
		"breakFor":           {breakFor, 30 * time.Second},
		"unfinishedKept":     {unfinishedKept, 24 * time.Hour},
		"maxInbox":           {maxInbox, 500},
		"maxMessage":         {maxMessage, 1024},
		"maxWords":           {maxWords, 100},
		"leakLength":         {leakLength, 8},
		"attemptTime":        {attemptTime, 5 * time.Second},
		"totalTime":          {totalTime, 5500 * time.Millisecond},
		"s3Time":             {s3Time, 15 * time.Second},
		"maxNick":            {maxNick, 64},
		"maxHead":            {maxHead, 512},
		"maxErrcode":         {maxErrcode, 8},
		"maxTokenLife":       {maxTokenLife, 24 * time.Hour},
		"maxToken":           {maxToken, 1000},
		"maxCode":            {maxCode, 512},
	}, map[string]string{
		"phoneDigits": "the form of a phone, which other tests check",
	})
}
