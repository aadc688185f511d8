package branding

import (
	"testing"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxLookText": {maxLookText, 128 << 10},
	}, map[string]string{
		"phoneWidth":   "the width of a preview",
		"desktopWidth": "the width of a preview",
	})
}
