package docs

import (
	"testing"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, nil, map[string]string{"inlineFields": "how the description is laid out"})
}
