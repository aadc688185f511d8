package chatapps

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"TokenFetch":  {TokenFetch, 6 * time.Second},
		"TokenPoll":   {TokenPoll, 100 * time.Millisecond},
		"tokenMargin": {tokenMargin, 5 * time.Minute},
	}, map[string]string{})
}
