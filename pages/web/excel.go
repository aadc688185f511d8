package web

import (
	"net/http"
	"time"

	"portico/portal/spreadsheets"
)

// Kind is a kind of file, by its ending.
type Kind string

// The kinds of files.
const (
	CSV   Kind = ".csv"
	Excel Kind = ".xlsx"
)

// SetHeader sets the header of an answer that is a file. name is the file's name without its ending, in ASCII letters.
func SetHeader(w http.ResponseWriter, kind Kind, name string) {
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	if kind == Excel {
		h.Set("Content-Type", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
	}
	h.Set("Content-Disposition", `attachment; filename="`+name+string(kind)+`"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// StepTime is how long a browser may take to receive a part of a file.
const StepTime = 30 * time.Second

// MoreTime gives an answer StepTime again, for a file that is sent in parts: the time of an ordinary answer is for the
// whole of it.
func MoreTime(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(StepTime)) // tests have answers without time
}

// File is an Excel file that is sent row by row.
type File struct {
	w    http.ResponseWriter
	rows *spreadsheets.Writer
}

// NewFile begins a file, and sends the names of its columns, which are Disarmed. Set the header first.
func NewFile(w http.ResponseWriter, columns []spreadsheets.Column) (*File, error) {
	for i := range columns {
		columns[i].Head = Disarmed(columns[i].Head)
	}
	rows, err := spreadsheets.NewWriter(w, columns)
	return &File{w: w, rows: rows}, err
}

// Row writes a row of texts and numbers. The texts are Disarmed.
func (s *File) Row(cells []any) error {
	for i, c := range cells {
		if text, ok := c.(string); ok {
			cells[i] = Disarmed(text)
		}
	}
	return s.rows.Row(cells)
}

// Flush sends what is written so far.
func (s *File) Flush() error {
	MoreTime(s.w)
	return s.rows.Flush()
}

// End sends the rest.
func (s *File) End() error {
	MoreTime(s.w)
	return s.rows.Close()
}
