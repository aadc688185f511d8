package public

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxShares": {maxShares, 256},
		"shareWait": {shareWait, 10 * time.Second},
	}, nil)
}
