package spreadsheets_test

import (
	"context"
	"testing"
	"time"
	"unicode/utf8"

	"portico/portal/spreadsheets"
)

// wantBounded fails the test if a file breaks what Wanted says. Whether it can be read does not matter.
func wantBounded(t *testing.T, content []byte) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	limits := wanted()
	file, err := spreadsheets.Read(ctx, content, limits)
	if ctx.Err() != nil {
		t.Fatalf("reading %d bytes takes more than a minute", len(content))
	}
	if err != nil {
		return
	}
	for _, table := range file.Tables {
		if len(table.Heads) > limits.Columns || len(table.Rows) > limits.Rows {
			t.Errorf("%d columns, %d rows", len(table.Heads), len(table.Rows))
		}
		for _, row := range table.Rows {
			if len(row.Cells) != len(table.Heads) {
				t.Errorf("line %d has %d cells for %d heads", row.Line, len(row.Cells), len(table.Heads))
			}
			for _, cell := range row.Cells {
				longest := max(len(cell.Text), len(cell.Number))
				if longest > limits.CellBytes || !utf8.ValidString(cell.Text) {
					t.Errorf("line %d: %q, %q", row.Line, cell.Text, cell.Number)
				}
			}
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, seed := range [][]byte{
		[]byte("name,phone\nLi,13800000001\n"), []byte("\ufeffname;price\r\n\"a;\"\"b\";32,80\r\n"),
		[]byte("sep=|\nname|price\nx|1\n"), {0xFF, 0xFE, 'n', 0, 'a', 0, 'm', 0, 'e', 0, '\n', 0, 0xE5, 0x67},
		[]byte("name\n\xC0\xEE\xC4\xC8\n"), []byte("<html><table><tr><td>name</td></tr></table>"), []byte("PK\x03\x04"),
		workbook(f, text(row("name", "price")+row("Rice", "32.8")), nil),
	} {
		f.Add(seed)
	}
	f.Fuzz(wantBounded)
}

// FuzzWorkbook changes the parts of a workbook, which are packed when a whole file is changed.
func FuzzWorkbook(f *testing.F) {
	const (
		book = `<workbook xmlns:r="r"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`
		cell = `<row r="2"><c r="A2" s="1" t="s"><v>0</v></c><c r="B2" s="1"><v>43210.5</v></c></row>`
	)
	f.Add(book, row("name", "price")+cell, `<sst><si><t>Rice</t></si></sst>`,
		`<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.00"/></numFmts><cellXfs><xf/><xf numFmtId="164"/>`+
			`</cellXfs></styleSheet>`)
	f.Add(book, row("name")+`<row hidden="1"><c t="e"><v>#N/A</v></c><c t="b"><v>1</v></c></row>`, `<sst/>`,
		`<styleSheet/>`)
	f.Fuzz(func(t *testing.T, book, rows, shared, styles string) {
		if len(book)+len(rows)+len(shared)+len(styles) > 1<<20 {
			return
		}
		wantBounded(t, workbook(t, text(rows), parts{
			bookPart: text(book), sharedPart: text(shared), stylesPart: text(styles),
		}))
	})
}
