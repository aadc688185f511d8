package lists

import (
	"net/http"

	"portico/components"
	"portico/locale"
)

// auditDay is a day of the activity log: what people did, and what programs did meanwhile.
type auditDay struct {
	Day             string
	Events, Machine []auditLine
}

// daysOf puts the lines of a page together by day, in their order.
func daysOf(r *http.Request, lines []auditLine) (days []auditDay) {
	for _, line := range lines {
		day := components.Day(locale.Of(r.Context()), line.At)
		if len(days) == 0 || days[len(days)-1].Day != day {
			days = append(days, auditDay{Day: day})
		}
		last := &days[len(days)-1]
		if line.Machine {
			last.Machine = append(last.Machine, line)
		} else {
			last.Events = append(last.Events, line)
		}
	}
	return days
}
