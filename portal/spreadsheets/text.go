package spreadsheets

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

const (
	// mostLine is how long a line of a text may be, in bytes. All its cells are in memory at once.
	mostLine = 64 << 10
	// separators are the characters that may stand between the cells of a text.
	separators = ",;\t|"
)

func readText(ctx context.Context, content []byte, wanted Wanted) (File, error) {
	text, ok := decoded(content)
	if !ok {
		return File{}, ErrUnreadable
	}
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		return File{}, ErrWebPage
	}
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, "\r", "\n") // as Macs once ended lines
	}
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) > mostLine {
			return File{}, ErrTooLarge
		}
	}
	left := wanted.Bytes
	c := &collector{wanted: wanted, left: &left}
	err := readCells(ctx, text, separatorOf(ctx, text, wanted), c)
	if err != nil && !errors.Is(err, errEnough) {
		return File{}, err
	}
	file := File{Empty: true}
	return file, file.add(c, "")
}

// separatorOf returns the separator with which a row of names is found that names most columns.
func separatorOf(ctx context.Context, text string, wanted Wanted) rune {
	best, most := ',', 0
	for _, sign := range separators {
		left := wanted.Bytes
		c := &collector{wanted: wanted, left: &left}
		c.wanted.Rows = 0
		_ = readCells(ctx, text, sign, c) // what is wrong with the text is said when it is read
		if heads := c.heads(); heads >= 0 {
			if score := wanted.Score(texts(c.rows[heads].Cells)); score > most {
				best, most = sign, score
			}
		}
	}
	return best
}

// readCells passes the rows of a text to a collector.
func readCells(ctx context.Context, text string, separator rune, c *collector) error {
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma = separator
	reader.LazyQuotes = true
	reader.FieldsPerRecord = -1
	reader.ReuseRecord = true
	line, next := 0, 1 // the row as a spreadsheet counts, and the line of the text after it
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return ErrUnreadable
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		at, _ := reader.FieldPos(0)
		line += 1 + at - next // the reader skips empty lines, which are rows of a spreadsheet
		next = at + 1
		row := Row{Line: line}
		for i, text := range cells {
			next += strings.Count(text, "\n")
			if i < c.wanted.Columns {
				row.Cells = append(row.Cells, Cell{Text: strings.Clone(short(text, 2*c.wanted.CellBytes))})
			}
		}
		if err := c.add(row); err != nil {
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
