package office

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/components"
	"portico/locale"
	"portico/portal/office"
)

// The drawing of a line has one unit of the x axis for each day; between the values 0 and the largest one are
// lineHeight units.
const (
	lineTop    = 4
	lineHeight = 34
	lineBase   = lineTop + lineHeight
)

// chart is a figure of today, with what it is compared with, and a line of the days until today.
type chart struct {
	ID, Heading, Value, Compared string
	Change                       string // since yesterday at this time, "" for none
	Grows                        bool   // Change is not negative
	Label                        string // describes the line to those who do not see it
	First                        string // where the line begins
	Line, Area                   string // paths
	Last                         string // the height of the line's end, in units of the drawing
	Sum, Most                    string // of all days, and the largest of one day
	Empty                        string // what to say instead of a line, "" where there is one
	Days                         []chartDay
	Width                        string
}

// chartDay is a column of the drawing, with a text that is shown when a pointer is over it.
type chartDay struct{ X, Text string }

// dayRow is a row of the table behind the charts.
type dayRow struct{ Day, Short, Orders, Total string }

// salesCharts returns the charts of the number of orders and of their sums, and the table behind them.
func salesCharts(r *http.Request, s office.Sales) ([]chart, []dayRow) {
	ctx, lang := r.Context(), locale.Of(r.Context())
	var rows []dayRow
	var orders, totals []int64
	for _, day := range s.Days {
		rows = append(rows, dayRow{
			components.Day(lang, day.Day), components.ShortDay(lang, day.Day), components.Count(int64(day.Orders)),
			components.Money(day.Total),
		})
		orders, totals = append(orders, int64(day.Orders)), append(totals, day.Total)
	}
	first, last := rows[0].Day, rows[len(rows)-1].Day
	count := figureChart(orders, rows, func(row dayRow) string { return row.Orders })
	count.ID, count.Heading = "orders-by-day", locale.T(ctx, "overview.orders_today")
	count.Compared = locale.T(ctx, "overview.compared", "earlier", components.Count(int64(s.Earlier.Orders)))
	count.Label = locale.T(ctx, "overview.orders_chart", "from", first, "to", last)
	if change := s.Today().Orders - s.Earlier.Orders; change != 0 {
		count.Change, count.Grows = signed(int64(change)), change > 0
	}
	sum := figureChart(totals, rows, func(row dayRow) string { return row.Total })
	sum.ID, sum.Heading = "sales-by-day", locale.T(ctx, "overview.sales_today")
	sum.Compared = locale.T(ctx, "overview.compared", "earlier", components.Money(s.Earlier.Total))
	sum.Label = locale.T(ctx, "overview.sales_chart", "from", first, "to", last)
	if now, then := s.Today().Total, s.Earlier.Total; then > 0 && now != then {
		sum.Change, sum.Grows = signed(percentOf(now-then, then))+lang.T("overview.percent"), now > then
	}
	count.addScale(ctx, orders, components.Count)
	sum.addScale(ctx, totals, components.Money)
	for _, c := range []*chart{&count, &sum} {
		if c.Line == "" {
			c.Empty = locale.T(ctx, "overview.no_orders", "num", len(rows))
		}
	}
	return []chart{count, sum}, rows
}

// percentOf returns a part of a whole in percent, rounded.
func percentOf(part, whole int64) int64 {
	return int64(math.Round(float64(part) * 100 / float64(whole)))
}

// addScale says how much all days have together, and the best of them.
func (c *chart) addScale(ctx context.Context, values []int64, text func(int64) string) {
	var sum int64
	for _, v := range values {
		sum += v
	}
	c.Sum = locale.T(ctx, "overview.sum", "num", len(values), "sum", text(sum))
	c.Most = locale.T(ctx, "overview.most", "most", text(slices.Max(values)))
}

// signed writes a change with its sign.
func signed(n int64) string {
	if n < 0 {
		return "−" + components.Count(-n)
	}
	return "+" + components.Count(n)
}

// figureChart draws values, one for each row. text is what a row says of its value. Values that are all 0 have no line.
func figureChart(values []int64, rows []dayRow, text func(dayRow) string) chart {
	c := chart{Value: text(rows[len(rows)-1]), First: rows[0].Short, Width: strconv.Itoa(len(values) - 1)}
	most := slices.Max(values)
	if most == 0 {
		return c
	}
	c.Line = linePath(values)
	c.Area = c.Line + " V" + strconv.Itoa(lineBase+2) + " H0 Z"
	c.Last = heightAt(values[len(values)-1], most)
	for i, row := range rows {
		x := strconv.FormatFloat(float64(i)-0.5, 'f', 1, 64)
		c.Days = append(c.Days, chartDay{x, row.Day + ": " + text(row)})
	}
	return c
}

// heightAt returns the y coordinate of a value.
func heightAt(value, most int64) string {
	return strconv.FormatFloat(float64(lineBase)-float64(value)*lineHeight/float64(most), 'f', 1, 64)
}

// linePath returns the path of a line through values.
func linePath(values []int64) string {
	var most int64 = 1
	for _, v := range values {
		most = max(most, v)
	}
	var path strings.Builder
	for i, v := range values {
		path.WriteString(map[bool]string{true: "M", false: " L"}[i == 0])
		path.WriteString(strconv.Itoa(i) + "," + heightAt(v, most))
	}
	return path.String()
}

// weeksView is the chart of applications by week, with the table behind it.
type weeksView struct {
	ThisWeek, Wait, Label, First, Last string
	Href                               string
	Width                              string
	Bars                               []figureBar
	Rows                               []weekRow
}

// figureBar is one bar, from its top at X and Y down by Height, with its text.
type figureBar struct{ X, Y, Height, Text string }

// weekRow is a row of the table behind the chart of weeks.
type weekRow struct{ Week, Applications, Wait string }

// weeksView returns the chart of applications; nil for readers who may not see it, and without applications.
func (l *Pages) weeksView(r *http.Request, weeks []office.Week) *weeksView {
	lang := locale.Of(r.Context())
	most := 0
	decided := 0
	all := 0
	var waits time.Duration
	for _, w := range weeks {
		most = max(most, w.Applications)
		all += w.Applications
		decided += w.Decided
		waits += w.Wait * time.Duration(w.Decided)
	}
	if all == 0 {
		return nil
	}
	v := &weeksView{
		Href: l.path + "/applications", Width: strconv.Itoa(4*len(weeks) - 1),
		ThisWeek: components.Count(int64(weeks[len(weeks)-1].Applications)),
	}
	for i, w := range weeks {
		row := weekRow{components.Day(lang, w.Begins), components.Count(int64(w.Applications)), "—"}
		if w.Decided > 0 {
			row.Wait = waitText(r, w.Wait)
		}
		height := w.Applications * 100 / most
		v.Rows = append(v.Rows, row)
		v.Bars = append(v.Bars, figureBar{
			strconv.Itoa(4 * i), strconv.Itoa(100 - height), strconv.Itoa(height), row.Week + ": " + row.Applications,
		})
	}
	v.First, v.Last = v.Rows[0].Week, v.Rows[len(v.Rows)-1].Week
	v.Label = locale.T(r.Context(), "overview.weeks_chart", "from", v.First, "to", v.Last)
	if decided > 0 {
		v.Wait = locale.T(r.Context(), "overview.mean_wait", "time", waitText(r, waits/time.Duration(decided)))
	}
	return v
}

// waitText writes a duration in minutes, hours or days.
func waitText(r *http.Request, d time.Duration) string {
	switch {
	case d < time.Hour:
		return locale.T(r.Context(), "overview.minutes", "num", max(1, int(d.Minutes())))
	case d < 48*time.Hour:
		return locale.T(r.Context(), "overview.hours", "num", int(d.Round(time.Hour).Hours()))
	}
	return locale.T(r.Context(), "overview.days", "num", int(d.Round(24*time.Hour).Hours())/24)
}
