package signin

import (
	"testing"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{}, map[string]string{
		"searchFrom": "layout",
	})
}
