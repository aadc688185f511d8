package profile

import (
	"testing"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxPictureFetched": {MaxPictureFetched, 1 << 20},
	}, map[string]string{})
}
