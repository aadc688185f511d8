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
	}, map[string]string{
		"gcPercent":  "speed and memory, not protection",
		"memoryBase": "speed and memory, not protection", "memoryPerCore": "speed and memory, not protection",
		"commitDigits": "how a commit is shown",
	})
}
