package carts

import (
	"testing"

	"portico/constanttest"
)

func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{"forgotten": {forgotten, 10}}, map[string]string{})
}
