package products

import (
	"testing"

	"portico/constanttest"
)

func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{"MostSearched": {MostSearched, 10_000}}, map[string]string{})
}
