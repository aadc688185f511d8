package spreadsheets_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"portico/portal/spreadsheets"
)

func writtenBook(t *testing.T, columns []spreadsheets.Column, rows ...[]any) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := spreadsheets.NewWriter(&file, columns)
	for _, row := range rows {
		if err == nil {
			err = w.Row(row)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Another program reads what is written.
func TestAWrittenWorkbookHasEveryValue(t *testing.T) {
	texts := []string{"Lee", " 王　芳 ", "a<b>&\"c\"", "two\nlines", "_x0041_", "_x41_", "'=1+1", "", "00123", "𠮷"}
	columns, row := []spreadsheets.Column{{Head: "name", Text: true, Width: 30}, {Head: "count"}, {Head: "sum"}}, []any{
		"6901234567890123", int64(1200), 32.8,
	}
	for range 30 {
		columns = append(columns, spreadsheets.Column{Head: "more"})
	}
	for i := range 30 {
		row = append(row, texts[i%len(texts)])
	}
	content := writtenBook(t, columns, row)
	book, err := excelize.OpenReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.GetRows("Sheet1")
	if err != nil || len(rows) != 2 {
		t.Fatalf("%q, %v", rows, err)
	}
	want := []string{"6901234567890123", "1200", "32.8"}
	for _, cell := range row[3:] {
		want = append(want, fmt.Sprint(cell))
	}
	if !slices.Equal(rows[1], want) {
		t.Errorf("%q, want %q", rows[1], want)
	}
	for cell, want := range map[string]int{"A2": 49, "A999": 49, "B2": 0} {
		id, err := book.GetCellStyle("Sheet1", cell)
		if err != nil {
			t.Fatal(err)
		}
		style, err := book.GetStyle(id)
		if err != nil || style.NumFmt != want {
			t.Errorf("%s has format %+v, %v: want %d", cell, style, err, want)
		}
	}
	if width, err := book.GetColWidth("Sheet1", "A"); err != nil || width != 30 {
		t.Errorf("a width of %v, %v", width, err)
	}
	table, err := spreadsheets.Read(t.Context(), content, wanted())
	if err != nil || len(table.Tables) != 1 {
		t.Fatalf("%+v, %v", table, err)
	}
	if got := table.Tables[0].Rows[0].Cells[3+4].Text; got != "_x0041_" {
		t.Errorf("read back: %q", got)
	}
}

// failing fails after so many bytes.
type failing struct{ left int }

var errGone = errors.New("the browser has left")

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errGone
	}
	return len(b), nil
}

func TestAWriterSaysWhenItsReaderHasLeft(t *testing.T) {
	for _, left := range []int{0, 500, 2000, 5000} {
		w, err := spreadsheets.NewWriter(&failing{left}, []spreadsheets.Column{{Head: "name"}})
		for i := 0; err == nil && i < 10_000; i++ {
			if err = w.Row([]any{fmt.Sprint("row ", i)}); err == nil && i%100 == 0 {
				err = w.Flush()
			}
		}
		if !errors.Is(err, errGone) {
			t.Errorf("after %d bytes: %v", left, err)
		}
	}
}

func TestALargeWorkbookTakesTheMemoryOfARow(t *testing.T) {
	allocated := func(rows int) float64 {
		return testing.AllocsPerRun(1, func() {
			w, err := spreadsheets.NewWriter(io.Discard, []spreadsheets.Column{{Head: "name"}})
			for i := 0; err == nil && i < rows; i++ {
				err = w.Row([]any{strings.Repeat("x", 100)})
			}
			if err == nil {
				err = w.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	few, many := allocated(1000), allocated(10_000)
	if each := (many - few) / 9000; each > 12 {
		t.Errorf("%.1f allocations for each row", each)
	}
}

// Excel opens no sheet with more rows.
func TestAWriterRefusesARowAfterTheLastOneOfASheet(t *testing.T) {
	w, err := spreadsheets.NewWriter(io.Discard, []spreadsheets.Column{{Head: "name"}})
	rows := 1 // the names of the columns
	for ; err == nil && rows < 1<<20; rows++ {
		err = w.Row(nil)
	}
	if err != nil {
		t.Fatalf("after %d rows: %v", rows, err)
	}
	if err := w.Row(nil); !errors.Is(err, spreadsheets.ErrSheetFull) {
		t.Errorf("a row after the last one: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("the workbook with the rows before: %v", err)
	}
}
