package web

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"portico/components"
	"portico/locale"
	"portico/portal/spreadsheets"
	"portico/store"
)

// Write answers a CSV file. name is the file name without its ending, in ASCII letters. If the file's rows may be
// some seconds old, the file name says as of when they are.
func Write(w http.ResponseWriter, r *http.Request, name string, file []byte) error {
	if asOf := store.ListsAsOf(r.Context()); asOf != 0 {
		name += "-" + strings.NewReplacer(" ", "-", ":", "").Replace(components.Stamp(asOf.Time()))
	}
	SetHeader(w, CSV, name)
	return WriteQuickly(w, r, http.StatusOK, file)
}

// textColumns are the keys of the names of columns whose cells are texts, even if they look like numbers.
var textColumns = map[string]bool{"product.number": true, "lists.phone": true, "lists.login": true,
	"apply.contact_phone": true, "lists.product_number": true}

// wideColumns are the keys of the names of columns that have names and other long texts.
var wideColumns = map[string]bool{
	"order.client": true, "product.name": true, "lists.person": true, "lists.applicant": true, "lists.reason": true,
	"lists.product": true, "apply.address": true,
}

// ColumnOf returns the column of an Excel file whose name has a key in the texts.
func ColumnOf(ctx context.Context, key string) spreadsheets.Column {
	column := spreadsheets.Column{Head: locale.T(ctx, key), Text: textColumns[key]}
	if wideColumns[key] {
		column.Width = 2 * spreadsheets.DefaultWidth
	}
	return column
}

// formulas are the characters with which a formula begins in a spreadsheet; the full-width ones do where Chinese or
// Japanese is written.
const formulas = "=+-@\t\r\n＝＋－＠"

// Disarmed returns a text as a spreadsheet may have it: what it would run as a formula gets a leading apostrophe.
func Disarmed(text string) string {
	if first, _ := utf8.DecodeRuneInString(text); text != "" && strings.ContainsRune(formulas, first) {
		return "'" + text
	}
	return text
}

// WriteCells writes a row of a CSV file and quotes every cell. The cells are Disarmed.
func WriteCells(file *bytes.Buffer, cells ...string) {
	for i, cell := range cells {
		if i > 0 {
			file.WriteByte(',')
		}
		file.WriteString(`"` + strings.ReplaceAll(Disarmed(cell), `"`, `""`) + `"`)
	}
	file.WriteString("\r\n")
}
