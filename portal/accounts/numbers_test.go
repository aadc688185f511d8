package accounts

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"InvitationLife":  {InvitationLife, 7 * 24 * time.Hour},
		"DeclinedFor":     {DeclinedFor, 90 * 24 * time.Hour},
		"DeclinesAMonth":  {DeclinesAMonth, 10},
		"DeclinesCounted": {DeclinesCounted, 30 * 24 * time.Hour},
		"DeclinesPause":   {DeclinesPause, 24 * time.Hour},
	}, map[string]string{
		"applicationsRead": "how many rows are read at a time",
	})
}
