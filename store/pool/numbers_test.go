package pool

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"CancelTime": {CancelTime, 500 * time.Millisecond},
		"Max":        {Max, 16},
		"Idle":       {Idle, 8},
		"Age":        {Age, 30 * time.Minute},
	}, map[string]string{
		"reconnectRest": "protects nothing: new connections are cheap",
		"idleTime":      "protects nothing: an idle connection is cheap",
	})
}
