package chatlogin

import (
	"testing"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxDetail": {maxDetail, 400},
	}, nil)
}
