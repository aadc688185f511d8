package schema

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"LockTime": {LockTime, 2 * time.Second},
		"Pause":    {Pause, time.Second},
		"Patience": {Patience, 5 * time.Minute},
	}, map[string]string{
		"withdrawTime":  "how soon a program that was asked to stop has stopped",
		"migrationPoll": "how soon a process that waits continues",
	})
}
