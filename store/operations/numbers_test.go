package operations

import (
	"testing"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"AtOnce": {AtOnce, 256},
		"Narrow": {Narrow, 64},
		"Middle": {Middle, 128},
		"Wide":   {Wide, 192},
	}, nil)
}
