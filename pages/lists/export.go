package lists

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/spreadsheets"
	"portico/store"
)

// sheet is a file for spreadsheets that is written row by row. A cell is a text or a number.
type sheet interface {
	Row(cells []any) error
	Flush() error // sends what is written so far, if the kind of file can be sent in parts
	End() error
}

// exporter answers a list as a file. It begins the answer when the first rows are read, so that a refusal is answered
// with a page.
type exporter struct {
	w     http.ResponseWriter
	r     *http.Request
	name  string
	excel bool
	log   *slog.Logger
	heads []string // the keys of the texts above the columns
	sheet sheet
}

// newExporter makes an exporter whose format is the ending of the request's path. heads are the keys of the texts
// above the columns.
func (l *Pages) newExporter(
	w http.ResponseWriter, r *http.Request, here access.Landing, list string, heads ...string,
) *exporter {
	return &exporter{
		w: w, r: r, name: list + "-" + web.Decimal(here.Member.CompanyID), heads: heads,
		excel: strings.HasSuffix(r.URL.Path, ".xlsx"), log: l.log,
	}
}

// columns are the columns of an Excel file.
func (e *exporter) columns() (all []spreadsheets.Column) {
	for _, key := range e.heads {
		all = append(all, web.ColumnOf(e.r.Context(), key))
	}
	return all
}

// begin writes the header of the answer and the first row.
func (e *exporter) begin() (err error) {
	if e.sheet != nil {
		return nil
	}
	if asOf := store.ListsAsOf(e.r.Context()); asOf != 0 { // the rows may be some seconds old
		e.name += "-" + strings.NewReplacer(" ", "-", ":", "").Replace(stamp(asOf))
	}
	if e.excel {
		web.SetHeader(e.w, web.Excel, e.name)
		e.sheet, err = web.NewFile(e.w, e.columns())
		return err
	}
	web.SetHeader(e.w, web.CSV, e.name)
	e.sheet = &csvSheet{w: e.w}
	var heads []any
	for _, column := range e.columns() {
		heads = append(heads, column.Head)
	}
	return e.sheet.Row(heads)
}

// finish ends the file. When reading failed after the answer began, it breaks the connection: a file without its end
// must not look whole.
func (e *exporter) finish(ctx context.Context, err error) error {
	if err != nil && e.sheet == nil {
		return err
	}
	if err == nil {
		err = e.begin() // a list without rows has its heads
	}
	if err == nil {
		err = e.sheet.End()
	}
	if err != nil {
		if ctx.Err() == nil { // the browser has not left
			e.log.LogAttrs(ctx, slog.LevelError, "export broken off", slog.Any("error", err))
		}
		panic(http.ErrAbortHandler)
	}
	return nil
}

// add returns a function that writes some records of a list, each as one row or several.
func add[T any](e *exporter, rows func(T) [][]any) func([]T) error {
	return func(records []T) error {
		if err := e.begin(); err != nil {
			return err
		}
		for _, one := range records {
			for _, cells := range rows(one) {
				if err := e.sheet.Row(cells); err != nil {
					return err
				}
			}
		}
		return e.sheet.Flush()
	}
}

// csvSheet is a CSV file, sent in parts.
type csvSheet struct {
	w     http.ResponseWriter
	part  bytes.Buffer
	begun bool
}

func (s *csvSheet) Row(cells []any) error {
	if !s.begun {
		s.part.WriteString("\ufeff") // without this mark spreadsheets do not read the file as UTF-8
		s.begun = true
	}
	texts := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case string:
			texts[i] = c
		case int64:
			texts[i] = strconv.FormatInt(c, 10)
		case float64:
			texts[i] = strconv.FormatFloat(c, 'f', 2, 64)
		}
	}
	web.WriteCells(&s.part, texts...)
	return nil
}

func (s *csvSheet) Flush() error {
	web.MoreTime(s.w)
	_, err := s.part.WriteTo(s.w)
	return err
}

func (s *csvSheet) End() error { return s.Flush() }

// money is a sum in cents as a number of a spreadsheet.
func money(cents int64) float64     { return float64(cents) / 100 }
func stamp(at store.Instant) string { return components.Stamp(at.Time()) }

// sampleText returns the mark of a record that came with the sample data, "" for any other.
func sampleText(ctx context.Context, sample string) string {
	if sample != "" {
		return locale.T(ctx, "office.sample")
	}
	return ""
}
