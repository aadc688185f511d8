package spreadsheets

import (
	"encoding/xml"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// mostFormats is how many styles of cells a workbook may have. Excel has 65,490.
	mostFormats = 70_000
	// mostFormat is how long a format may be, in bytes, and mostCodes how long all are together. Excel has 255
	// characters, and some 250 formats.
	mostFormat = 1024
	mostCodes  = 1 << 20
)

// formats are the formats of numbers, by the styles of cells.
type formats struct {
	byStyle []int
	codes   map[int]string  // of the formats that the file has
	read    map[int]*format // those of them that a cell has used
}

// of returns the format of a style.
func (f formats) of(style int) *format {
	if style < 0 || style >= len(f.byStyle) {
		return &format{}
	}
	id := f.byStyle[style]
	code, ok := f.codes[id]
	if !ok {
		return builtIn(id)
	}
	if f.read[id] == nil {
		f.read[id] = formatOf(code)
	}
	return f.read[id]
}

// readFormats reads the formats of numbers from the part with the styles.
func (w *workbook) readFormats(name string) (formats, error) {
	f := formats{codes: map[int]string{}, read: map[int]*format{}}
	inCells := false
	size := 0
	err := w.each(name, func(token xml.Token) error {
		if e, ok := token.(xml.EndElement); ok && e.Name.Local == "cellXfs" {
			inCells = false
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			return nil
		}
		switch e.Name.Local {
		case "cellXfs":
			inCells = true
		case "xf":
			if inCells {
				id, _ := strconv.Atoi(attribute(e, "numFmtId", false))
				f.byStyle = append(f.byStyle, id)
			}
		case "numFmt":
			code := attribute(e, "formatCode", false)
			if size += len(code); len(code) > mostFormat || size > mostCodes || len(f.codes) > mostFormats {
				return ErrTooLarge
			}
			if id, err := strconv.Atoi(attribute(e, "numFmtId", false)); err == nil {
				f.codes[id] = code
			}
		}
		if len(f.byStyle) > mostFormats {
			return ErrTooLarge
		}
		return nil
	})
	return f, err
}

// builtIn returns one of the formats that have a number only, and no code in the file.
func builtIn(id int) *format {
	switch {
	case id == 1 || id == 3 || id == 37 || id == 38 || id == 41 || id == 42 || id == 5 || id == 6:
		return &format{} // whole numbers: the value counts, so that 32.8 stays 32.8
	case id == 2 || id == 4 || id == 7 || id == 8 || id == 39 || id == 40 || id == 43 || id == 44:
		return &format{decimals: 2}
	case id == 9 || id == 10:
		return &format{percent: true}
	case id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58 ||
		id >= 71 && id <= 81:
		return &format{date: true}
	}
	return &format{}
}

// format is what matters of the format of numbers. The zero format shows a number as it is.
type format struct {
	date     bool // shows a date or a time
	percent  bool
	scaled   bool   // shows thousands or millions
	decimals int    // how many decimals it shows, if it shows a fixed number of them
	currency string // the sign of a currency that it shows

	// pattern is the whole format, of one that shows a whole number with zeros before it or with other characters, like
	// 00000 or "GL-"000. Each piece is a digit ("0", or "#" for one that may be missing) or a text. It is nil for every
	// other format.
	pattern []piece
}

// piece is a piece of a format's pattern.
type piece struct {
	text  string
	digit byte // '0', '#', or 0 for a text
}

// formatOf reads a format like #,##0.00"元". It reads the first of its sections, which positive numbers have.
func formatOf(code string) *format {
	if code == "" || code == "@" || strings.EqualFold(code, "general") {
		return &format{}
	}
	s := scanner{code: code, f: &format{}}
	for s.at < len(code) && code[s.at] != ';' {
		s.next()
	}
	return s.result()
}

// scanner reads the code of a format.
type scanner struct {
	code string
	at   int
	f    *format

	pieces   []piece
	point    bool // a decimal point was read
	comma    bool // the last character was a comma after a digit
	grouping bool
	slash    bool // of a fraction, or of a date
	special  bool // has an exponent, a fraction or a text
}

// next reads the next character of the code, or a text or bracket that begins with it.
func (s *scanner) next() {
	c := s.code[s.at]
	s.at++
	if c == ',' {
		s.comma = len(s.pieces) > 0
		return
	}
	if s.comma && strings.IndexByte("0#?", c) >= 0 && !s.point {
		s.grouping = true
	} else if s.comma {
		s.f.scaled = true
	}
	s.comma = false
	switch c {
	case '"':
		s.literal(s.until('"'))
	case '\\':
		if s.at < len(s.code) {
			s.literal(s.character())
		}
	case '_', '*':
		s.character()
	case '[':
		s.bracket(s.until(']'))
	case '0', '#', '?':
		if s.point {
			s.f.decimals++
		} else if c == '?' {
			c = '#'
		}
		s.pieces = append(s.pieces, piece{digit: c})
	case '.':
		s.point = true
	case '%':
		s.f.percent = true
	case '@':
		s.special = true
	case '/':
		s.slash = true
	case 'E', 'e':
		if s.at < len(s.code) && (s.code[s.at] == '+' || s.code[s.at] == '-') {
			s.special = true
			s.at++
			return
		}
		s.f.date = true
	case 'y', 'm', 'd', 'h', 's', 'g', 'b', 'Y', 'M', 'D', 'H', 'S', 'B':
		s.f.date = true
	case 'G':
		if rest := strings.ToLower(s.code[s.at:]); strings.HasPrefix(rest, "eneral") {
			s.at += len("eneral")
			s.special = true
			return
		}
		s.f.date = true
	default:
		s.at--
		s.literal(s.character())
	}
}

// character returns the next character.
func (s *scanner) character() string {
	_, size := utf8.DecodeRuneInString(s.code[s.at:])
	s.at += size
	return s.code[s.at-size : s.at]
}

// until returns the text up to a character, and goes past that.
func (s *scanner) until(end byte) string {
	text, rest, _ := strings.Cut(s.code[s.at:], string(end))
	s.at = len(s.code) - len(rest)
	return text
}

func (s *scanner) literal(text string) {
	if sign := Currency(text); sign != "" {
		s.f.currency = sign
	}
	s.pieces = append(s.pieces, piece{text: text})
}

// bracket reads what stands in brackets: a currency like $€-407, hours that go on after 24, a colour or a condition.
func (s *scanner) bracket(text string) {
	switch lower := strings.ToLower(text); {
	case strings.HasPrefix(text, "$"):
		sign, _, _ := strings.Cut(text[1:], "-")
		s.literal(sign)
	case lower == "h" || lower == "hh" || lower == "m" || lower == "mm" || lower == "s" || lower == "ss":
		s.f.date = true
	}
}

func (s *scanner) result() *format {
	f := s.f
	f.scaled = f.scaled || s.comma
	s.special = s.special || s.slash && !f.date
	if s.special {
		f.decimals, f.date = 0, false
	}
	var digits, others int
	for _, p := range s.pieces {
		switch {
		case p.digit != 0:
			digits++
		case strings.TrimSpace(p.text) != "":
			others++
		}
	}
	isPlain := !f.date && !f.percent && !f.scaled && !s.special && !s.point && !s.grouping
	if isPlain && digits > 0 && (others > 0 || digits > 1) {
		f.pattern = s.pieces
	}
	return f
}

// currencies are the signs of currencies other than the yuan. Each is in capitals.
var currencies = []string{
	"€", "$", "£", "₩", "₽", "₹", "₫", "฿", "R$", "US$", "HK$", "NT$", "MX$", "S/", "EUR", "USD", "GBP", "HKD", "TWD",
	"JPY", "KRW", "MXN", "PEN", "CLP", "COP", "ARS", "BRL", "VND", "THB", "RUB",
}

// Currency returns the currency whose sign a text is, "" for the yuan and for any other text.
func Currency(text string) string {
	text = strings.ToUpper(strings.TrimSpace(text))
	for _, sign := range currencies {
		if text == sign {
			return sign
		}
	}
	return ""
}

// cell returns the cell of a number. A text that is none stays as it is.
func (f *format) cell(text string, since1904 bool) Cell {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) || math.Abs(value) > 1e30 {
		return Cell{Text: text}
	}
	if f.date {
		return Cell{Text: dateOf(value, since1904), Doubt: DateValue}
	}
	if math.Abs(value) >= 1e15 {
		return Cell{Text: text, Number: text, Doubt: Shortened}
	}
	number := digitsOf(value)
	switch {
	case f.scaled:
		return Cell{Text: number, Number: number, Doubt: Scaled}
	case f.percent:
		number = digitsOf(value*100) + "%"
		return Cell{Text: number, Number: number}
	}
	shown := number
	if f.decimals >= 2 { // cents are seen: what is behind them was not
		shown = rounded(number, f.decimals)
		number = shown
	}
	if f.pattern != nil {
		shown = f.inPattern(number)
	}
	if f.currency != "" {
		number += " " + f.currency
		if f.pattern == nil {
			shown = number
		}
	}
	return Cell{Text: shown, Number: number}
}

// digitsOf returns all digits of a number. A spreadsheet has fifteen; what a computer adds to them is left out.
func digitsOf(value float64) string {
	fifteen, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 15, 64), 64)
	return strconv.FormatFloat(fifteen, 'f', -1, 64)
}

// rounded returns a number with so many decimals. Halves are rounded up, as spreadsheets do.
func rounded(number string, decimals int) string {
	exact, ok := new(big.Rat).SetString(number)
	if !ok {
		return number
	}
	return exact.FloatString(min(decimals, 15))
}

// inPattern returns a whole number as the pattern shows it, and any other number as it is.
func (f *format) inPattern(number string) string {
	if strings.ContainsAny(number, ".-") {
		return number
	}
	made, left := "", number
	for i := len(f.pattern) - 1; i >= 0; i-- {
		p := f.pattern[i]
		switch {
		case p.digit == 0:
			made = p.text + made
			continue
		case left != "":
			made, left = left[len(left)-1:]+made, left[:len(left)-1]
		case p.digit == '0':
			made = "0" + made
		}
		if !f.digitBefore(i) {
			made, left = left+made, ""
		}
	}
	return made
}

// digitBefore reports whether the pattern has a digit before a piece.
func (f *format) digitBefore(i int) bool {
	for _, p := range f.pattern[:i] {
		if p.digit != 0 {
			return true
		}
	}
	return false
}

// dateOf returns a date as 2026-05-10, with the time of day if it has one.
func dateOf(days float64, since1904 bool) string {
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if since1904 {
		first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if !since1904 && days < 60 {
		days++ // Excel's year 1900 has a 29 February
	}
	if days < 0 || days > 2_958_465 { // the last day of the year 9999
		return digitsOf(days)
	}
	at := first.AddDate(0, 0, int(days)).Add(time.Duration(math.Round((days-math.Floor(days))*86_400)) * time.Second)
	if at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0 {
		return at.Format("2006-01-02")
	}
	return at.Format("2006-01-02 15:04:05")
}
