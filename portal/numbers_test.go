package portal

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"SweepLease":  {SweepLease, 10 * time.Minute},
		"SweepExtend": {SweepExtend, time.Minute},
		"SweepRest":   {SweepRest, 20 * time.Millisecond},
	}, map[string]string{})
}
