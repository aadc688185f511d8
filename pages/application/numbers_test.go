package application

import (
	"testing"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxMultipart": {maxMultipart, 5<<20 + 64<<10},
	}, nil)
}
