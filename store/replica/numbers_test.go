package replica

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxAge":    {MaxAge, 30 * time.Second},
		"ReadTime":  {ReadTime, time.Second},
		"beatEvery": {beatEvery, time.Second},
		"beatAge":   {beatAge, 900 * time.Millisecond},
	}, nil)
}
