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
		"requestTime":  {requestTime, 3 * time.Second},
		"maxAnswer":    {maxAnswer, 64 << 10},
		"idleTime":     {idleTime, 20 * time.Second},
		"idleKept":     {idleKept, 4},
		"breakAfter":   {breakAfter, 5},
		"breakFor":     {breakFor, 30 * time.Second},
		"halfKept":     {halfKept, 24 * time.Hour},
		"maxInbox":     {maxInbox, 500},
		"maxMessage":   {maxMessage, 1024},
		"maxWords":     {maxWords, 100},
		"leakLength":   {leakLength, 8},
		"tryTime":      {tryTime, 5 * time.Second},
		"wholeTime":    {wholeTime, 5500 * time.Millisecond},
		"s3Time":       {s3Time, 15 * time.Second},
		"maxNick":      {maxNick, 64},
		"maxHead":      {maxHead, 512},
		"maxErrcode":   {maxErrcode, 8},
		"maxTokenLife": {maxTokenLife, 24 * time.Hour},
		"maxToken":     {maxToken, 1000},
		"maxCode":      {maxCode, 512},
	}, map[string]string{
		"phoneDigits": "the form of a phone, held by the tests of phones",
	})
}
