package backoffice

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf8"

	"portico/components"
	"portico/locale"
	"portico/pages/request"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/store"
)

// ShowAuditExport answers the newest events as a CSV file. ?of= picks a group of events.
func (l *Pages) ShowAuditExport(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	events, err := l.portal.Access.AuditAll(ctx, here, access.AuditGroup(r.URL.Query().Get("of")))
	if err != nil {
		return err
	}
	var file bytes.Buffer
	file.WriteString("\ufeff") // without this mark spreadsheets do not read the file as UTF-8
	WriteCells(
		&file,
		locale.T(ctx, "audit.when"), locale.T(ctx, "audit.what"),
		locale.T(ctx, "audit.who"), locale.T(ctx, "audit.address"),
	)
	for _, e := range events {
		WriteCells(&file, components.Stamp(e.At.Time()), site.EventText(r, e), eventActor(r, e), e.Address)
	}
	return writeSheet(w, r, "audit-"+request.Decimal(here.Member.CompanyID), file.Bytes())
}

// writeSheet answers a CSV file. name is the file name without its ending, in ASCII letters. If the file's rows may be
// some seconds old, the file name says as of when they are.
func writeSheet(w http.ResponseWriter, r *http.Request, name string, file []byte) error {
	if asOf := store.ListsAsOf(r.Context()); asOf != 0 {
		name += "-" + strings.NewReplacer(" ", "-", ":", "").Replace(components.Stamp(asOf.Time()))
	}
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	return web.WriteQuickly(w, r, http.StatusOK, file)
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
