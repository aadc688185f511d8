// Package spreadsheets reads tables from the files of spreadsheet programs: Excel workbooks, and texts with separators.
// It reads what a person sees in such a file: the sheets and columns that are not hidden, and the values of cells.
// Where a cell's text may not be what was meant, the cell says why. It also writes workbooks.
//
// A file may be forged. Read goes through it as a stream and stops at its limits while it reads: whatever a file has in
// it, reading 5 MB of it takes less than 100 MB of memory, and ends with its context.
package spreadsheets

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"unicode/utf8"
)

// The errors of files that cannot be read.
var (
	// ErrUnreadable is the error of a file that is no spreadsheet, or is damaged.
	ErrUnreadable = errors.New("no readable spreadsheet")
	// ErrOld is the error of a file of Excel 2003 or earlier, and of one with a password.
	ErrOld = errors.New("spreadsheet of Excel 2003 or with a password")
	// ErrWebPage is the error of a web page. Some programs give one the name of a spreadsheet.
	ErrWebPage = errors.New("web page with the name of a spreadsheet")
	// ErrTooLarge is the error of a file that has more in it than Read takes.
	ErrTooLarge = errors.New("spreadsheet with too much in it")
	// ErrTooManyRows is the error of a table with more rows than are wanted.
	ErrTooManyRows = errors.New("spreadsheet with too many rows")
)

// Doubt says why the text of a cell may not be what was meant.
type Doubt string

// The doubts.
const (
	// ErrorValue is the doubt of a cell that shows an error, like #N/A.
	ErrorValue Doubt = "error"
	// DateValue is the doubt of a cell that the spreadsheet has as a date. A size like 5-10 becomes one.
	DateValue Doubt = "date"
	// Shortened is the doubt of a number of which the spreadsheet has not kept all digits.
	Shortened Doubt = "shortened"
	// Uncalculated is the doubt of a formula whose value is not in the file.
	Uncalculated Doubt = "uncalculated"
	// Scaled is the doubt of a number that is shown in thousands or millions.
	Scaled Doubt = "scaled"
)

// Cell is a cell of a table.
type Cell struct {
	// Text is what the cell shows. Numbers have all their digits, and no separators of thousands.
	Text string
	// Number is the value of a cell that has a number, with a decimal point, and with the sign of a currency if the
	// cell shows one; "" for every other cell.
	Number string
	// Doubt says why the cell may not have the value that was meant, "" if it has.
	Doubt Doubt
}

// Row is a row of a table. Line is its number in the sheet, from 1. Hidden says that the spreadsheet does not show it.
type Row struct {
	Line   int
	Hidden bool
	Cells  []Cell // as many as the table has heads
}

// Table is a sheet, or a text, that has a row with names of columns. Sheet is the name of the sheet, "" for a text.
type Table struct {
	Sheet string
	Heads []string
	Rows  []Row
}

// File is what Read has read.
type File struct {
	// Tables are the tables of the file, in the order of its sheets.
	Tables []Table
	// Others are the names of the sheets that are shown and have rows, but no names of columns.
	Others []string
	// Empty says that the file has no row at all.
	Empty bool
}

// Wanted says what Read looks for, and how much of it.
type Wanted struct {
	// Score returns how many columns of a table a row names, 0 for a row that cannot be the row of names.
	Score func(cells []string) int
	// Rows is how many rows a table may have, without the row of names.
	Rows int
	// HeadsWithin is in how many rows the row of names is looked for.
	HeadsWithin int
	// Columns is how many columns are read, and CellBytes how many bytes of a cell.
	Columns, CellBytes int
	// Bytes is how large the texts of all tables may be together.
	Bytes int
}

// The first bytes of files: of a ZIP archive, which a workbook is, and of a file of Excel 2003 or with a password.
const (
	zipMagic = "PK\x03\x04"
	oldMagic = "\xd0\xcf\x11\xe0"
)

// Read reads the tables of a file. It returns one of the errors above for a file that it cannot read, and the error of
// ctx when that ends first.
func Read(ctx context.Context, content []byte, wanted Wanted) (File, error) {
	switch {
	case bytes.HasPrefix(content, []byte(zipMagic)):
		return readWorkbook(ctx, content, wanted)
	case bytes.HasPrefix(content, []byte(oldMagic)):
		return File{}, ErrOld
	}
	return readText(ctx, content, wanted)
}

// collector collects the rows of one sheet.
type collector struct {
	wanted Wanted
	left   *int // bytes that the texts of the file may still have
	rows   []Row
	hidden map[int]bool // the columns that are not shown
}

// add adds a row, unless it is empty. It returns errEnough when the sheet has no row of names where one is looked for.
func (c *collector) add(row Row) error {
	end := 0
	for i := range row.Cells {
		cell := &row.Cells[i]
		if c.hidden[i] {
			*cell = Cell{}
		}
		cell.Text = strings.TrimSpace(cell.Text)
		if cell.Number == "" && cell.Doubt == "" {
			cell.Text, cell.Doubt = meaning(cell.Text)
		}
		cell.Text = short(cell.Text, c.wanted.CellBytes)
		if cell.Text != "" || cell.Doubt != "" {
			end = i + 1
		}
		*c.left -= len(cell.Text)
	}
	if end == 0 {
		return nil
	}
	if *c.left < 0 {
		return ErrTooLarge
	}
	row.Cells = row.Cells[:end]
	c.rows = append(c.rows, row)
	switch {
	case len(c.rows) == c.wanted.HeadsWithin && c.heads() < 0:
		return errEnough
	case len(c.rows) > c.wanted.HeadsWithin+c.wanted.Rows:
		return ErrTooManyRows
	}
	return nil
}

// errEnough ends the reading of a sheet before its end.
var errEnough = errors.New("enough read")

// heads returns the index of the row of names: the one that names most columns. It returns -1 if there is none.
func (c *collector) heads() int {
	best, most := -1, 0
	for i := range min(len(c.rows), c.wanted.HeadsWithin) {
		if score := c.wanted.Score(texts(c.rows[i].Cells)); score > most {
			best, most = i, score
		}
	}
	return best
}

// table returns the table that the rows make. ok is false if no row has names of columns.
func (c *collector) table(sheet string) (t Table, ok bool, err error) {
	heads := c.heads()
	if heads < 0 {
		return t, false, nil
	}
	t = Table{Sheet: sheet, Heads: texts(c.rows[heads].Cells), Rows: c.rows[heads+1:]}
	if len(t.Rows) > c.wanted.Rows {
		return t, true, ErrTooManyRows
	}
	for i, row := range t.Rows {
		cells := make([]Cell, len(t.Heads))
		copy(cells, row.Cells)
		t.Rows[i].Cells = cells
	}
	return t, true, nil
}

// add adds what a collector has to the file. name is the name of the sheet.
func (f *File) add(c *collector, name string) error {
	table, ok, err := c.table(name)
	switch {
	case ok:
		f.Tables = append(f.Tables, table)
	case len(c.rows) > 0:
		f.Others = append(f.Others, name)
	}
	f.Empty = len(f.Tables) == 0 && len(f.Others) == 0
	return err
}

func texts(cells []Cell) []string {
	all := make([]string, len(cells))
	for i, cell := range cells {
		all[i] = cell.Text
	}
	return all
}

// short returns at most so many bytes of a text, and no part of a character.
func short(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}
