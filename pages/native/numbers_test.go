package native

import (
	"testing"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxSimulated": {maxSimulated, 64},
		"maxCalls":     {maxCalls, 200},
		"maxMessage":   {maxMessage, 8 << 10},
	}, nil)
}
