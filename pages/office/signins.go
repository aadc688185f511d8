package office

import (
	"net/http"
	"strconv"

	"portico/components"
	"portico/locale"
	"portico/portal/core"
)

// signInsView is how people signed in during the last days, and why some could not.
type signInsView struct {
	Total, Refused string
	Days           chart
	Ways, Failures []shareRow
	Rows           []signInRow // the table behind the line
}

// shareRow is a count with its share of the largest one, in percent.
type shareRow struct{ Label, Count, Share string }

// signInRow is a day of sign-ins.
type signInRow struct{ Day, SignIns, Refused string }

// signInsViewOf returns the card of sign-ins, nil where nobody tried to sign in.
func signInsViewOf(r *http.Request, s core.SignIns) *signInsView {
	ctx, lang := r.Context(), locale.Of(r.Context())
	if s.Total+s.Refused == 0 {
		return nil
	}
	v := &signInsView{Total: components.Count(s.Total), Refused: components.Count(s.Refused)}
	var values []int64
	var days []dayRow
	for _, day := range s.Days {
		row := signInRow{
			components.Day(lang, day.Day), components.Count(day.SignIns), components.Count(day.Refused),
		}
		v.Rows = append(v.Rows, row)
		values = append(values, day.SignIns)
		days = append(days, dayRow{Day: row.Day, Short: components.ShortDay(lang, day.Day), Orders: row.SignIns})
	}
	v.Days = figureChart(values, days, func(row dayRow) string { return row.Orders })
	v.Days.Label = locale.T(ctx, "overview.sign_ins_chart", "from", days[0].Day, "to", days[len(days)-1].Day)
	for _, way := range s.Ways {
		v.Ways = append(v.Ways, shareOf(locale.T(ctx, "overview.by_"+way.Way), way.Count, s.Ways[0].Count))
	}
	for _, f := range s.Failures {
		label := locale.T(ctx, "overview.failed_"+string(f.Failure))
		v.Failures = append(v.Failures, shareOf(label, f.Count, s.Failures[0].Count))
	}
	return v
}

func shareOf(label string, count, most int64) shareRow {
	return shareRow{label, components.Count(count), strconv.FormatInt(max(1, count*100/most), 10)}
}
