package main

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"checkDomainsEvery": {checkDomainsEvery, 10 * time.Minute},
		"sweepEvery":        {sweepEvery, 5 * time.Minute},
		"maxSettingLine":    {maxSettingLine, 4096},
		"maxSecretFile":     {maxSecretFile, 64 << 10},
		"minDifferent":      {minDifferent, 12},
		"headerTimeout":     {headerTimeout, 5 * time.Second},
		"bodyTimeout":       {bodyTimeout, 30 * time.Second},
		"writeTimeout":      {writeTimeout, 30 * time.Second},
		"idleTimeout":       {idleTimeout, 60 * time.Second},
		"maxHeaderBytes":    {maxHeaderBytes, 32 << 10},
		"maxStreams":        {maxStreams, 100},
		"maxRequestID":      {maxRequestID, 64},
		"stopTimeout":       {stopTimeout, 20 * time.Second},
		"readyTimeout":      {readyTimeout, time.Second},
		"readyFor":          {readyFor, 200 * time.Millisecond},
		"maxMessagesADay":   {maxMessagesADay, 10_000_000},
		"mostDaysKept":      {mostDaysKept, 36_500},
	}, map[string]string{
		"gcPercent":  "speed and memory, not protection",
		"memoryBase": "speed and memory, not protection", "memoryPerCore": "speed and memory, not protection",
		"commitDigits": "how a commit is shown",
		"batchDelay":   "how soon the log is written",
		"batchBytes":   "how soon the log is written",
	})
}
