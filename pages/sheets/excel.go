package sheets

import (
	"net/http"
	"strconv"

	"github.com/xuri/excelize/v2"
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

// File is an Excel file. Its writer keeps rows beyond some megabytes in a temporary file; the answer is sent at the
// end.
type File struct {
	w    http.ResponseWriter
	file *excelize.File
	rows *excelize.StreamWriter
	n    int
}

// NewFile begins a file; its header is not set yet.
func NewFile(w http.ResponseWriter) (*File, error) {
	file := excelize.NewFile()
	rows, err := file.NewStreamWriter("Sheet1")
	return &File{w: w, file: file, rows: rows}, err
}

// Row writes a row of texts and numbers. The texts are Disarmed.
func (s *File) Row(cells []any) error {
	s.n++
	for i, c := range cells {
		if text, ok := c.(string); ok {
			cells[i] = Disarmed(text)
		}
	}
	return s.rows.SetRow("A"+strconv.Itoa(s.n), cells)
}

// Flush does nothing: an Excel file cannot be sent in parts.
func (s *File) Flush() error { return nil }

// End sends the file.
func (s *File) End() error {
	defer func() { _ = s.file.Close() }() // removes the temporary files
	if err := s.rows.Flush(); err != nil {
		return err
	}
	return s.file.Write(s.w)
}
