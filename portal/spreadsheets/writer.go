package spreadsheets

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Column is a column of a workbook that is written.
type Column struct {
	// Head is its name.
	Head string
	// Text makes its cells texts, also those that people fill in: a spreadsheet would take the zeros from the beginning
	// of 00123, and the last digits from a long number.
	Text bool
	// Width is its width in characters, 0 for DefaultWidth.
	Width int
}

// DefaultWidth is the width of a column in characters.
const DefaultWidth = 16

// mostRows is how many rows a sheet of Excel has at most, the row of column names included. Excel reports a workbook
// with more rows as damaged.
const mostRows = 1 << 20

// ErrSheetFull says that a sheet has no room for another row. The rows written before are valid, and the writer can be
// closed.
var ErrSheetFull = errors.New("a sheet has at most 1,048,576 rows")

// Writer writes a workbook with one sheet. It writes each row at once, so that a workbook of any size takes the memory
// of one row, and leaves nothing behind when it is broken off.
type Writer struct {
	archive *zip.Writer
	sheet   *bufio.Writer
	columns []Column
	rows    int
}

// The parts of a workbook that are the same in every one. Style 1 is a text, and 2 a name of a column.
const (
	xmlHead      = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainSpace    = `http://schemas.openxmlformats.org/spreadsheetml/2006/main`
	officeSpace  = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	packageSpace = `http://schemas.openxmlformats.org/package/2006`
	contentType  = `application/vnd.openxmlformats-officedocument.spreadsheetml`
)

var workbookParts = []struct{ name, content string }{
	{"[Content_Types].xml", `<Types xmlns="` + packageSpace + `/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + contentType + `.sheet.main+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="` + contentType + `.styles+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + contentType + `.worksheet+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="` + packageSpace + `/relationships"><Relationship Id="rId1" Type="` +
		officeSpace + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<workbook xmlns="` + mainSpace + `" xmlns:r="` + officeSpace +
		`"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packageSpace + `/relationships">` +
		`<Relationship Id="rId1" Type="` + officeSpace + `/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="` + officeSpace + `/styles" Target="styles.xml"/></Relationships>`},
	{"xl/styles.xml", `<styleSheet xmlns="` + mainSpace + `"><fonts count="2">` +
		`<font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border/></borders>` +
		`<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf xfId="0"/>` +
		`<xf xfId="0" numFmtId="49" applyNumberFormat="1"/><xf xfId="0" fontId="1" applyFont="1"/></cellXfs>` +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`},
}

// NewWriter begins a workbook, and writes the names of its columns.
func NewWriter(to io.Writer, columns []Column) (*Writer, error) {
	w := &Writer{archive: zip.NewWriter(to), columns: columns}
	for _, part := range workbookParts {
		at, err := w.archive.Create(part.name)
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(at, xmlHead+part.content); err != nil {
			return nil, err
		}
	}
	sheet, err := w.archive.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return nil, err
	}
	w.sheet = bufio.NewWriter(sheet)
	// The first row stays in view.
	w.text(xmlHead, `<worksheet xmlns="`, mainSpace, `"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" `,
		`topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`)
	heads := make([]any, len(columns))
	for i, c := range columns {
		heads[i] = c.Head
		width, style := c.Width, 0
		if width == 0 {
			width = DefaultWidth
		}
		if c.Text {
			style = 1
		}
		w.text(fmt.Sprintf(`<col min="%d" max="%d" width="%d" style="%d" customWidth="1"/>`, i+1, i+1, width, style))
	}
	w.text(`</cols><sheetData>`)
	return w, w.row(heads, func(int) int { return 2 })
}

// Row writes a row. A cell is a string, an int64 or a float64, which is written with two decimals. It returns
// ErrSheetFull if the sheet is full.
func (w *Writer) Row(cells []any) error {
	return w.row(cells, func(i int) int {
		if i < len(w.columns) && w.columns[i].Text {
			return 1
		}
		return 0
	})
}

func (w *Writer) row(cells []any, style func(i int) int) error {
	if w.rows == mostRows {
		return ErrSheetFull
	}
	w.rows++
	w.text(`<row r="`, strconv.Itoa(w.rows), `">`)
	for i, cell := range cells {
		w.text(`<c r="`, columnName(i), strconv.Itoa(w.rows), `" s="`, strconv.Itoa(style(i)))
		switch cell := cell.(type) {
		case int64:
			w.text(`"><v>`, strconv.FormatInt(cell, 10), `</v></c>`)
		case float64:
			w.text(`"><v>`, strconv.FormatFloat(cell, 'f', 2, 64), `</v></c>`)
		default:
			w.text(`" t="inlineStr"><is><t xml:space="preserve">`)
			if err := xml.EscapeText(w.sheet, []byte(escaped(fmt.Sprint(cell)))); err != nil {
				return err
			}
			w.text(`</t></is></c>`)
		}
	}
	w.text(`</row>`)
	// What was written before has failed, if it has, with the same error.
	_, err := w.sheet.WriteString("\n")
	return err
}

// text writes texts. bufio keeps the first error for the next write, and for Flush.
func (w *Writer) text(texts ...string) {
	for _, text := range texts {
		_, _ = w.sheet.WriteString(text)
	}
}

// escaped writes what Excel would read as the escape of a character so that it is read as it is.
func escaped(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	var made strings.Builder
	for {
		before, after, found := strings.Cut(text, "_x")
		made.WriteString(before)
		if !found {
			return made.String()
		}
		if len(after) > 4 && after[4] == '_' && strings.Trim(after[:4], "0123456789abcdefABCDEF") == "" {
			made.WriteString("_x005F_x")
		} else {
			made.WriteString("_x")
		}
		text = after
	}
}

// columnName returns the name of a column, which is counted from 0: A to Z, AA and so on.
func columnName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return columnName(i/26-1) + columnName(i%26)
}

// Flush passes on what has been written so far, except for what the compression still holds.
func (w *Writer) Flush() error {
	if err := w.sheet.Flush(); err != nil {
		return err
	}
	return w.archive.Flush()
}

// Close ends the workbook. It does not close what it was written to.
func (w *Writer) Close() error {
	w.text(`</sheetData></worksheet>`)
	if err := w.sheet.Flush(); err != nil {
		return err
	}
	return w.archive.Close()
}
