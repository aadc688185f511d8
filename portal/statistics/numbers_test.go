package statistics

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxViewCount":   {maxViewCount, 200},
		"MaxMenuChoices": {MaxMenuChoices, 60},
		"menuAddresses":  {menuAddresses, 4096},
		"ViewsWritten":   {ViewsWritten, 5 * time.Second},
		"ViewsKept":      {ViewsKept, 400},
		"viewsHeld":      {viewsHeld, 4096},
		"viewsWaiting":   {viewsWaiting, 32_768},
		"viewsAtOnce":    {viewsAtOnce, 200},
	}, map[string]string{
		"VisitWeek":  "how much a page shows",
		"viewShards": "speed",
	})
}
