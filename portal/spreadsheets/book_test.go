package spreadsheets_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"strings"
	"testing"

	"portico/portal/spreadsheets"
)

// wanted asks for tables with a column "name", within the limits of an import.
func wanted() spreadsheets.Wanted {
	return spreadsheets.Wanted{
		Score: func(cells []string) int {
			known, named := 0, false
			for _, cell := range cells {
				switch strings.ToLower(cell) {
				case "name":
					known, named = known+1, true
				case "contact", "phone", "price":
					known++
				}
			}
			if !named {
				return 0
			}
			return known
		},
		Rows: 1000, HeadsWithin: 10, Columns: 30, CellBytes: 600, Bytes: 4 << 20,
	}
}

// part is a part of a workbook: texts, each so many times.
type part []repeated

type repeated struct {
	text  string
	times int
}

// write writes the text as often as it is repeated, many at a time.
func (r repeated) write(w io.Writer) error {
	atOnce := max(1, (64<<10)/max(1, len(r.text)))
	block := strings.Repeat(r.text, min(atOnce, r.times))
	for left := r.times; left > 0; left -= atOnce {
		if _, err := io.WriteString(w, block[:min(left, atOnce)*len(r.text)]); err != nil {
			return err
		}
	}
	return nil
}

// parts are the parts of a workbook by their names.
type parts map[string]part

func text(text string) part { return part{{text, 1}} }

const (
	sheetPart  = "xl/worksheets/sheet1.xml"
	sharedPart = "xl/sharedStrings.xml"
	stylesPart = "xl/styles.xml"
	bookPart   = "xl/workbook.xml"
)

// workbook returns a workbook with one sheet, which has some rows. more are other parts, or others in place of these.
func workbook(t testing.TB, rows part, more parts) []byte {
	t.Helper()
	all := parts{
		bookPart: text(`<workbook xmlns:r="r"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`),
		"xl/_rels/workbook.xml.rels": text(`<Relationships><Relationship Id="rId1" Type="http://x/worksheet"` +
			` Target="worksheets/sheet1.xml"/></Relationships>`),
		sheetPart: append(append(text("<worksheet><sheetData>"), rows...), repeated{"</sheetData></worksheet>", 1}),
	}
	for name, part := range more {
		all[name] = part
	}
	var file bytes.Buffer
	to := zip.NewWriter(&file)
	to.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	for name, part := range all {
		w, err := to.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range part {
			if err := r.write(w); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// row returns a row of a sheet as XML. Its cells are texts.
func row(texts ...string) string {
	made := "<row>"
	for _, text := range texts {
		made += "<c t=\"inlineStr\"><is><t>" + text + "</t></is></c>"
	}
	return made + "</row>"
}
