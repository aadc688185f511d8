package entry

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"AuthCodeLife": {AuthCodeLife, 60 * time.Second},
	}, map[string]string{})
}
