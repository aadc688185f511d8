package imports

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"portico/portal/access"
)

const (
	// mostUnpacked is how large the parts of an Excel file may be together, in bytes. A thousand rows take a tenth.
	mostUnpacked = 4 << 20
	// mostBeside is how large each part may be that has no rows, in bytes. Their small elements take much memory.
	mostBeside = 512 << 10
	// mostColumns and mostCell are how many columns are read, and how many bytes of a cell.
	mostColumns = 30
	mostCell    = 600
	// mostLine is how long a line of a text may be, in bytes.
	mostLine = 64 << 10
	// mostStored is how large the rows of a file may be together, in bytes.
	mostStored = 1 << 20
	// headsWithin is in how many rows the names of the columns are looked for.
	headsWithin = 10
	// mostBlank is how many empty rows a file may have, and mostCells how many cells, the empty ones before others
	// included.
	mostBlank = 20_000
	mostCells = 200_000
)

// The first bytes of files: of a ZIP archive, which Excel files are, and of a file of Excel 2003 or with a password.
const (
	zipMagic = "PK\x03\x04"
	oldMagic = "\xd0\xcf\x11\xe0"
)

// readFile reads the rows of a spreadsheet.
func (i *Imports) readFile(ctx context.Context, rule listRule, words Words, body io.ReadSeeker) (Import, error) {
	select {
	case i.reading <- struct{}{}:
		defer func() { <-i.reading }()
	case <-ctx.Done():
		return Import{}, ctx.Err()
	}
	content, err := io.ReadAll(io.LimitReader(body, access.MaxUpload+1))
	if err != nil {
		return Import{}, err
	}
	if len(content) > access.MaxUpload {
		return Import{}, access.Invalid(access.Fields{"file": FileTooLarge})
	}
	c := collector{rule: rule, words: words}
	switch {
	case bytes.HasPrefix(content, []byte(zipMagic)):
		err = readExcel(content, c.add)
	case bytes.HasPrefix(content, []byte(oldMagic)):
		err = fileProblem(FileOld)
	default:
		err = readText(content, c.add)
	}
	if found := fileProblem(""); errors.As(err, &found) {
		return Import{}, access.Invalid(access.Fields{"file": access.Problem(found)})
	} else if err != nil {
		return Import{}, err
	}
	switch {
	case c.file.Heads == nil && c.rows == c.blank:
		err = access.Invalid(access.Fields{"file": RowsMissing})
	case c.file.Heads == nil:
		err = access.Invalid(access.Fields{"file": ColumnsMissing})
	case len(c.file.Rows) == 0:
		err = access.Invalid(access.Fields{"file": RowsMissing})
	}
	return c.file, err
}

// fileProblem is a Problem of a file as an error.
type fileProblem access.Problem

func (p fileProblem) Error() string { return string(p) }

// collector collects the rows of a file, one after the other.
type collector struct {
	rule  listRule
	words Words
	file  Import
	rows  int // how many rows were added
	blank int // how many of them were empty
	cells int // how many cells were added
}

// add adds the next row. line is its number in the file, from 1.
func (c *collector) add(line int, cells []string) error {
	c.rows++
	if c.cells += len(cells); c.cells > mostCells {
		return fileProblem(FileTooLarge)
	}
	if cells = trimmed(cells); len(cells) == 0 {
		if c.blank++; c.blank > mostBlank {
			return fileProblem(RowsTooMany)
		}
		return nil
	}
	if c.file.Heads == nil {
		if c.hasHeads(cells) {
			c.file.Heads = cells
		} else if c.rows-c.blank >= headsWithin {
			return fileProblem(ColumnsMissing)
		}
		return nil
	}
	if len(c.file.Rows) == MostRows {
		return fileProblem(RowsTooMany)
	}
	row := Row{Line: line, Cells: make([]string, len(c.file.Heads))}
	copy(row.Cells, cells)
	c.file.Rows = append(c.file.Rows, row)
	return nil
}

// hasHeads reports whether a row names every column that the list needs.
func (c *collector) hasHeads(cells []string) bool {
	found := 0
	columns := columnsOf(c.rule, c.words, cells)
	for _, needed := range c.rule.columns[:c.rule.needed] {
		for _, column := range columns {
			if column == needed {
				found++
			}
		}
	}
	return found == c.rule.needed
}

// trimmed returns the cells of a row without the empty ones at its end. It cuts a cell that is too long; the check of
// the row refuses what is left of it.
func trimmed(cells []string) []string {
	cells = cells[:min(len(cells), mostColumns)]
	end := 0
	for i, text := range cells {
		if text = strings.TrimSpace(text); len(text) > mostCell {
			text = strings.ToValidUTF8(text[:mostCell], "")
		}
		if cells[i] = text; text != "" {
			end = i + 1
		}
	}
	return cells[:end]
}

// readExcel passes the rows of the first sheet of an Excel file to add.
func readExcel(content []byte, add func(int, []string) error) (err error) {
	defer func() {
		if recover() != nil { // the library may panic on a forged file
			err = fileProblem(FileUnreadable)
		}
	}()
	if err := checkParts(content); err != nil {
		return err
	}
	file, err := excelize.OpenReader(bytes.NewReader(content), excelize.Options{
		UnzipSizeLimit: mostUnpacked, UnzipXMLSizeLimit: mostUnpacked,
	})
	if err != nil {
		return fileProblem(FileUnreadable)
	}
	defer func() { _ = file.Close() }()
	rows, err := file.Rows(file.GetSheetName(0))
	if err != nil {
		return fileProblem(FileUnreadable)
	}
	defer func() { _ = rows.Close() }()
	for line := 1; rows.Next(); line++ {
		cells, err := rows.Columns()
		if err != nil {
			return fileProblem(FileUnreadable)
		}
		if err := add(line, cells); err != nil {
			return err
		}
	}
	if rows.Error() != nil {
		return fileProblem(FileUnreadable)
	}
	return nil
}

// checkParts refuses an Excel file with large parts before they are unpacked.
func checkParts(content []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return fileProblem(FileUnreadable)
	}
	whole := uint64(0)
	for _, part := range archive.File {
		hasRows := strings.HasPrefix(part.Name, "xl/worksheets/") || part.Name == "xl/sharedStrings.xml"
		isRead := strings.HasSuffix(part.Name, ".xml") || strings.HasSuffix(part.Name, ".rels")
		if whole += part.UncompressedSize64; whole > mostUnpacked ||
			isRead && !hasRows && part.UncompressedSize64 > mostBeside {
			return fileProblem(FileTooLarge)
		}
	}
	return nil
}

// readText passes the rows of a text with separators to add.
func readText(content []byte, add func(int, []string) error) error {
	text, ok := decoded(content)
	if !ok {
		return fileProblem(FileUnreadable)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) > mostLine { // millions of cells, which would all be in memory at once
			return fileProblem(FileTooLarge)
		}
	}
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = separator(text), true, -1
	line, next := 0, 1 // the row as a spreadsheet counts, and the line of the text after it
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fileProblem(FileUnreadable)
		}
		at, _ := reader.FieldPos(0)
		line += 1 + at - next // the reader skips empty lines, which are rows of a spreadsheet
		next = at + 1
		for _, text := range cells {
			next += strings.Count(text, "\n")
		}
		if err := add(line, cells); err != nil {
			return err
		}
	}
}

// decoded returns a file as text. Spreadsheets write UTF-8, UTF-16 with a mark, or the encoding of their system, which
// is GB 18030 in China and Windows-1252 where Spanish and English are spoken.
func decoded(content []byte) (text string, ok bool) {
	if bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")) {
		return decodedBy(unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), content)
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if utf8.Valid(content) {
		return string(content), !bytes.ContainsRune(content, 0)
	}
	if isChinese(content) {
		return decodedBy(simplifiedchinese.GB18030, content)
	}
	return decodedBy(charmap.Windows1252, content)
}

// isChinese guesses which of the two encodings a text has. Bytes above ASCII come in pairs in Chinese, and mostly alone
// in Spanish.
func isChinese(content []byte) bool {
	alone, paired := 0, 0
	for i := 0; i < len(content); i++ {
		switch {
		case content[i] < utf8.RuneSelf:
		case i+1 < len(content) && content[i+1] >= utf8.RuneSelf:
			paired++
			i++
		default:
			alone++
		}
	}
	return paired > alone
}

// decodedBy decodes a file. ok is false for a text that the encoding does not have, and for one that is no text.
func decodedBy(by encoding.Encoding, content []byte) (text string, ok bool) {
	plain, err := by.NewDecoder().Bytes(content)
	return string(plain), err == nil && !bytes.ContainsRune(plain, utf8.RuneError) && !bytes.ContainsRune(plain, 0)
}

// separator returns what separates the cells of the first line.
func separator(text string) rune {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	best, most := ',', 0
	for _, sign := range []rune{',', ';', '\t'} {
		if n := strings.Count(line, string(sign)); n > most {
			best, most = sign, n
		}
	}
	return best
}

// withoutApostrophe removes the apostrophe that exports write before a text that a spreadsheet would run as a formula.
func withoutApostrophe(text string) string {
	if rest, ok := strings.CutPrefix(text, "'"); ok && strings.ContainsAny(firstRune(rest), "=+-@＝＋－＠") {
		return rest
	}
	return text
}

func firstRune(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}
