package ordering

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxQuantity":  {MaxQuantity, 9999},
		"OrdersShown":  {OrdersShown, 30},
		"OrderedAgain": {OrderedAgain, 5 * time.Minute},
	}, map[string]string{})
}
