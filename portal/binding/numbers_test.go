package binding

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"RemindersNarrow": {RemindersNarrow, 20},
		"RemindersMiddle": {RemindersMiddle, 200},
		"RemindersWide":   {RemindersWide, 2000},
		"ReminderWindow":  {ReminderWindow, time.Hour},
	}, map[string]string{})
}
