package office

import (
	"bytes"
	"net/http"
	"strconv"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
)

// visitSpan is the number of days that are shown first.
const visitSpan = 7

// visitsView is the page with the page views of a company.
type visitsView struct {
	Back    string
	Spans   []spanLink
	Total   int64
	Empty   string // says how many of the days have no views, "" for none
	Most    string // the day with the most views, and their number
	Chart   barChart
	Screens []countRow
	Devices []countRow
	Menu    []countRow
	Export  string // the address of the CSV file
}

// spanLink is the link to another number of days.
type spanLink struct {
	Label, Href string
	Current     bool
}

// countRow is a row with a name, its count, and the count in percent of the largest one.
type countRow struct {
	Label string
	Count int64
	Share string
}

// barChart is a drawing of Width by 100 units with bars. Label describes it; First and Last label its ends.
type barChart struct {
	Label, First, Last string
	Width              string
	Bars               []bar
}

// bar is one bar, from its top at X and Y down by Height. Day and Count are its text.
type bar struct{ X, Y, Height, Day, Count string }

// ShowVisits answers GET /settings/visits: the page views of the last days, as a chart and a table.
func (l *Pages) ShowVisits(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	days := visitDays(r)
	visits, err := l.portal.Core.Statistics.VisitsOf(r.Context(), here, days)
	if err != nil {
		return err
	}
	path := l.path + "/settings/visits"
	v := visitsView{Back: l.path + "/settings", Total: visits.Total, Most: mostVisits(r, visits.Days),
		Chart: chartOf(r, visits.Days), Export: path + ".csv?days=" + strconv.Itoa(days)}
	empty := 0
	for _, d := range visits.Days {
		if d.Views == 0 {
			empty++
		}
	}
	if empty > 0 && visits.Total > 0 {
		v.Empty = locale.T(r.Context(), "visits.empty_days", "num", empty)
	}
	for _, n := range core.VisitSpans {
		v.Spans = append(v.Spans, spanLink{locale.T(r.Context(), "visits.days", "num", n),
			path + "?days=" + strconv.Itoa(n), n == days})
	}
	v.Screens, v.Menu = screenRows(r, visits.Screens), screenRows(r, visits.Menu)
	for _, d := range visits.Devices {
		v.Devices = append(v.Devices, countRow{Label: locale.T(r.Context(), "visits.on_"+string(d.On)), Count: d.Views})
	}
	share(v.Devices)
	shell := l.site.Frame(r, here, l.path+"/settings")
	shell.Query = "days=" + strconv.Itoa(days)
	return l.web.Render(w, r, http.StatusOK, shell, visitsPage(v))
}

// visitDays returns the number of days in the query, 0 without a number.
func visitDays(r *http.Request) int {
	if !r.URL.Query().Has("days") {
		return visitSpan
	}
	days, _ := strconv.Atoi(r.URL.Query().Get("days"))
	return days
}

func screenRows(r *http.Request, all []core.ScreenViews) []countRow {
	rows := make([]countRow, 0, len(all))
	for _, s := range all {
		rows = append(rows, countRow{Label: screenWords(r, s.Screen), Count: s.Views})
	}
	share(rows)
	return rows
}

// screenWords returns the name of a page. A page that this version does not know keeps its stored name.
func screenWords(r *http.Request, s core.Screen) string {
	if key := "visits.page_" + string(s); locale.Has(key) {
		return locale.T(r.Context(), key)
	}
	return string(s)
}

func share(rows []countRow) {
	var most int64 = 1
	for _, row := range rows {
		most = max(most, row.Count)
	}
	for i := range rows {
		rows[i].Share = strconv.FormatInt(max(1, rows[i].Count*100/most), 10)
	}
}

// mostVisits returns the text about the day with the most views; "" without views.
func mostVisits(r *http.Request, days []core.VisitDay) string {
	var most core.VisitDay
	for _, d := range days {
		if d.Views > most.Views {
			most = d
		}
	}
	if most.Views == 0 {
		return ""
	}
	lang := locale.Of(r.Context())
	return locale.T(r.Context(), "visits.most", "date", components.Day(lang, most.Day), "num",
		components.Count(most.Views))
}

// chartOf returns the chart of days. Each bar is three units wide, with one between two bars.
func chartOf(r *http.Request, days []core.VisitDay) barChart {
	lang := locale.Of(r.Context())
	var most int64
	for _, d := range days {
		most = max(most, d.Views)
	}
	c := barChart{
		First: components.Day(lang, days[0].Day), Last: components.Day(lang, days[len(days)-1].Day),
		Width: strconv.Itoa(4*len(days) - 1),
	}
	c.Label = locale.T(r.Context(), "visits.chart", "from", c.First, "to", c.Last)
	for i, d := range days {
		height := d.Views * 100 / max(1, most)
		if d.Views > 0 {
			height = max(2, height)
		}
		c.Bars = append(c.Bars, bar{
			strconv.Itoa(4 * i), strconv.FormatInt(100-height, 10), strconv.FormatInt(height, 10),
			components.Day(lang, d.Day), components.Count(d.Views),
		})
	}
	return c
}

// ShowVisitsExport answers GET /settings/visits.csv: the page views by day, page and device, for spreadsheets.
func (l *Pages) ShowVisitsExport(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	rows, err := l.portal.Core.Statistics.VisitRows(ctx, here, visitDays(r))
	if err != nil {
		return err
	}
	var file bytes.Buffer
	file.WriteString("\ufeff") // without this mark spreadsheets do not read the file as UTF-8
	web.WriteCells(&file, locale.T(ctx, "visits.day"), locale.T(ctx, "visits.page"), locale.T(ctx, "visits.device"),
		locale.T(ctx, "visits.views"))
	for _, row := range rows {
		page := screenWords(r, row.Screen)
		if row.Menu {
			page = locale.T(ctx, "visits.menu", "page", page)
		}
		web.WriteCells(&file, row.Day.Format("2006-01-02"), page, locale.T(ctx, "visits.on_"+string(row.On)),
			strconv.FormatInt(row.Views, 10))
	}
	return web.Write(w, r, "visits-"+web.Decimal(here.Member.CompanyID), file.Bytes())
}
