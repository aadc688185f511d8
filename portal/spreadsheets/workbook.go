package spreadsheets

import (
	"context"
	"encoding/xml"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	// mostRead is how many sheets are read. The others are named among File.Others.
	mostRead = 20
	// mostSheets is how many sheets a workbook may have.
	mostSheets = 1000
	// mostShared is how much memory the texts that cells share may take, in bytes. They are cut to Wanted.CellBytes.
	mostShared = 16 << 20
	// sharedCost is what an empty text takes of it.
	sharedCost = 16
	// mostMerged is how many merged ranges a sheet may have.
	mostMerged = 100_000
	// lastColumn is the number of the last column that a sheet can have: XFD.
	lastColumn = 16_384
)

// workbook is an Excel file that is being read.
type workbook struct {
	*archive
	wanted    Wanted
	sheets    []sheetPart
	shared    []string
	formats   formats
	since1904 bool // dates count from 1904, not from 1900
	left      int  // bytes that the texts of all tables may still have
}

// sheetPart is a sheet that is shown.
type sheetPart struct{ name, part string }

func readWorkbook(ctx context.Context, content []byte, wanted Wanted) (File, error) {
	parts, err := openArchive(ctx, content)
	if err != nil {
		return File{}, err
	}
	w := &workbook{archive: parts, wanted: wanted, left: wanted.Bytes}
	if err := w.open(); err != nil {
		return File{}, err
	}
	file := File{Empty: true}
	for i, sheet := range w.sheets {
		if i >= mostRead {
			file.Others = append(file.Others, sheet.name)
			continue
		}
		c := &collector{wanted: wanted, left: &w.left}
		if err := w.readSheet(sheet.part, c); err != nil {
			return File{}, err
		}
		if err := file.add(c, sheet.name); err != nil {
			return File{}, err
		}
	}
	return file, nil
}

// open reads what the sheets refer to: their names, the texts that cells share, and the formats of numbers.
func (w *workbook) open() error {
	at := w.target(w.relations("", "_rels/.rels"), "officeDocument", "xl/workbook.xml")
	folder := path.Dir(at)
	relations := w.relations(folder, folder+"/_rels/"+path.Base(at)+".rels")
	if err := w.readSheets(at, relations); err != nil {
		return err
	}
	if part := w.target(relations, "sharedStrings", folder+"/sharedStrings.xml"); w.has(part) {
		if err := w.readShared(part); err != nil {
			return err
		}
	}
	if part := w.target(relations, "styles", folder+"/styles.xml"); w.has(part) {
		var err error
		if w.formats, err = w.readFormats(part); err != nil {
			return err
		}
	}
	if len(w.sheets) == 0 {
		return ErrUnreadable
	}
	return nil
}

// relation is a part to which another part refers.
type relation struct{ id, kind, part string }

// relations reads the relations of a part. It returns none if their part is missing or broken.
func (w *workbook) relations(folder, name string) (all []relation) {
	if !w.has(name) {
		return nil
	}
	_ = w.each(name, func(token xml.Token) error {
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "Relationship" && len(all) < mostParts {
			target := attribute(e, "Target", false)
			if !strings.HasPrefix(target, "/") {
				target = path.Join(folder, target)
			}
			all = append(all, relation{
				attribute(e, "Id", false), path.Base(attribute(e, "Type", false)), partName(target),
			})
		}
		return nil
	})
	return all
}

// target returns the part of the first relation of a kind, or the part that programs usually write.
func (w *workbook) target(relations []relation, kind, usual string) string {
	for _, r := range relations {
		if r.kind == kind && w.has(r.part) {
			return r.part
		}
	}
	return usual
}

// readSheets reads the names of the sheets that are shown.
func (w *workbook) readSheets(name string, relations []relation) error {
	parts := map[string]string{}
	for _, r := range relations {
		if r.kind == "worksheet" {
			parts[r.id] = r.part
		}
	}
	named := 0
	return w.each(name, func(token xml.Token) error {
		e, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case e.Name.Local == "workbookPr":
			w.since1904 = isTrue(attribute(e, "date1904", false))
		case e.Name.Local == "sheet":
			if named++; named > mostSheets {
				return ErrTooLarge
			}
			state, part := attribute(e, "state", false), parts[attribute(e, "id", true)]
			if part == "" && len(parts) == 0 { // a workbook without relations
				part = path.Dir(name) + "/worksheets/sheet" + strconv.Itoa(named) + ".xml"
			}
			if state != "hidden" && state != "veryHidden" && w.has(part) {
				w.sheets = append(w.sheets, sheetPart{short(attribute(e, "name", false), w.wanted.CellBytes), part})
			}
		}
		return nil
	})
}

// readShared reads the texts that cells share.
func (w *workbook) readShared(name string) error {
	var text richText
	size := 0
	return w.each(name, func(token xml.Token) error {
		text.read(token, w.wanted.CellBytes)
		e, ok := token.(xml.EndElement)
		if !ok || e.Name.Local != "si" {
			return nil
		}
		w.shared = append(w.shared, text.take())
		if size += sharedCost + len(w.shared[len(w.shared)-1]); size > mostShared {
			return ErrTooLarge
		}
		return nil
	})
}

// richText is a text in several pieces, each with a look of its own. It leaves out how Chinese characters are read.
type richText struct {
	text     []byte
	inText   bool
	inSpoken bool
}

// read takes the next piece. It takes at most so many bytes, and as much again of a text that will be trimmed.
func (r *richText) read(token xml.Token, size int) {
	switch t := token.(type) {
	case xml.StartElement:
		r.inText = r.inText || t.Name.Local == "t"
		r.inSpoken = r.inSpoken || t.Name.Local == "rPh"
	case xml.EndElement:
		r.inText = r.inText && t.Name.Local != "t"
		r.inSpoken = r.inSpoken && t.Name.Local != "rPh"
	case xml.CharData:
		if r.inText && !r.inSpoken && len(r.text) < 2*size {
			r.text = append(r.text, short(string(t), 2*size)...)
		}
	}
}

// take returns the text, and begins the next one.
func (r *richText) take() string {
	text := unescaped(string(r.text))
	*r = richText{text: r.text[:0]}
	return strings.TrimSpace(text)
}

// unescaped replaces the escapes _xHHHH_ with which Excel writes characters that XML does not have.
func unescaped(text string) string {
	var made strings.Builder
	for {
		before, after, found := strings.Cut(text, "_x")
		made.WriteString(before)
		if !found {
			return made.String()
		}
		if len(after) > 4 && after[4] == '_' {
			if code, err := strconv.ParseUint(after[:4], 16, 16); err == nil {
				made.WriteRune(rune(code))
				text = after[5:]
				continue
			}
		}
		made.WriteString("_x")
		text = after
	}
}

// readSheet passes the rows of a sheet to a collector, and gives each row of a merged range its value.
func (w *workbook) readSheet(name string, c *collector) error {
	s := &sheet{workbook: w, collector: c}
	if err := w.each(name, s.read); errors.Is(err, errEnough) {
		return nil
	} else if err != nil {
		return err
	}
	return nil
}

// sheet is a sheet that is being read.
type sheet struct {
	*workbook
	collector *collector

	inRows bool
	row    Row
	line   int // the number of the row before
	column int // of the cell that is read, from 0

	inCell, inValue bool
	kind, style     string // attributes of the cell
	value           []byte
	hasValue        bool
	hasFormula      bool
	text            richText

	merged int
}

func (s *sheet) read(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return s.begin(t)
	case xml.CharData:
		if s.inValue && len(s.value) < s.wanted.CellBytes {
			s.value = append(s.value, t...)
		}
	case xml.EndElement:
		if err := s.end(t.Name.Local); err != nil {
			return err
		}
	}
	if s.inCell {
		s.text.read(token, s.wanted.CellBytes)
	}
	return nil
}

func (s *sheet) begin(e xml.StartElement) error {
	switch e.Name.Local {
	case "col":
		s.hideColumns(e)
	case "sheetData":
		s.inRows = true
	case "row":
		if s.inRows {
			s.beginRow(e)
		}
	case "c":
		if s.inRows {
			s.beginCell(e)
		}
	case "v":
		s.inValue, s.hasValue = s.inCell, s.inCell
	case "f":
		s.hasFormula = s.inCell
	case "mergeCell":
		return s.fill(attribute(e, "ref", false))
	}
	if s.inCell {
		s.text.read(e, s.wanted.CellBytes)
	}
	return nil
}

func (s *sheet) beginRow(e xml.StartElement) {
	line, err := strconv.Atoi(attribute(e, "r", false))
	if err != nil || line <= s.line {
		line = s.line + 1
	}
	s.line, s.column = line, -1
	s.row = Row{Line: line, Hidden: isTrue(attribute(e, "hidden", false))}
}

func (s *sheet) beginCell(e xml.StartElement) {
	column, _, ok := place(attribute(e, "r", false))
	if !ok {
		column = s.column + 1
	}
	s.column, s.inCell = column, column < s.wanted.Columns
	s.kind, s.style = attribute(e, "t", false), attribute(e, "s", false)
	s.value = s.value[:0]
	s.hasValue = false
	s.hasFormula = false
	s.text = richText{text: s.text.text[:0]}
}

func (s *sheet) end(name string) error {
	switch name {
	case "v":
		s.inValue = false
	case "c":
		if !s.inCell {
			return nil
		}
		s.inCell = false
		cell, err := s.cell()
		if err != nil || cell == (Cell{}) {
			return err
		}
		for len(s.row.Cells) <= s.column {
			s.row.Cells = append(s.row.Cells, Cell{})
		}
		s.row.Cells[s.column] = cell
	case "row":
		row := s.row
		s.row = Row{}
		return s.collector.add(row)
	case "sheetData":
		s.inRows = false
	}
	return nil
}

// cell returns the cell that has been read.
func (s *sheet) cell() (Cell, error) {
	value := strings.TrimSpace(string(s.value))
	switch s.kind {
	case "s":
		if value == "" {
			return Cell{}, nil
		}
		i, err := strconv.Atoi(value)
		if err != nil || i < 0 || i >= len(s.shared) {
			return Cell{}, ErrUnreadable
		}
		return Cell{Text: s.shared[i]}, nil
	case "inlineStr":
		return Cell{Text: s.text.take()}, nil
	case "str":
		if s.hasFormula && !s.hasValue {
			return Cell{Doubt: Uncalculated}, nil
		}
		return Cell{Text: unescaped(value)}, nil
	case "e":
		return Cell{Text: value, Doubt: ErrorValue}, nil
	case "b":
		return Cell{Text: map[bool]string{true: "TRUE", false: "FALSE"}[isTrue(value)]}, nil
	case "d":
		return Cell{Text: value, Doubt: DateValue}, nil
	}
	switch {
	case value == "" && s.hasFormula:
		return Cell{Doubt: Uncalculated}, nil
	case value == "":
		return Cell{}, nil
	}
	style, err := strconv.Atoi(s.style)
	if err != nil {
		style = 0
	}
	return s.formats.of(style).cell(value, s.since1904), nil
}

// hideColumns notes the columns of an element that are not shown.
func (s *sheet) hideColumns(e xml.StartElement) {
	if !isTrue(attribute(e, "hidden", false)) {
		return
	}
	from, err := strconv.Atoi(attribute(e, "min", false))
	to, err2 := strconv.Atoi(attribute(e, "max", false))
	if err != nil || err2 != nil || from < 1 {
		return
	}
	if s.collector.hidden == nil {
		s.collector.hidden = map[int]bool{}
	}
	for column := from; column <= min(to, s.wanted.Columns); column++ {
		s.collector.hidden[column-1] = true
	}
}

// fill gives the rows of a merged range, like B2:B4, the value of its first cell. Its other columns stay empty.
func (s *sheet) fill(ref string) error {
	if s.merged++; s.merged > mostMerged {
		return ErrTooLarge
	}
	first, last, _ := strings.Cut(ref, ":")
	column, from, ok := place(first)
	_, to, ok2 := place(last)
	if !ok || !ok2 || from == to || column >= s.wanted.Columns {
		return nil
	}
	rows := s.collector.rows
	at, ok := slices.BinarySearchFunc(rows, from, func(row Row, line int) int { return row.Line - line })
	if !ok || column >= len(rows[at].Cells) {
		return nil
	}
	value := rows[at].Cells[column]
	for i := at + 1; i < len(rows) && rows[i].Line <= to; i++ {
		for len(rows[i].Cells) <= column {
			rows[i].Cells = append(rows[i].Cells, Cell{})
		}
		if rows[i].Cells[column] == (Cell{}) {
			rows[i].Cells[column] = value
			if *s.collector.left -= len(value.Text); *s.collector.left < 0 {
				return ErrTooLarge
			}
		}
	}
	return nil
}

// place reads the name of a cell, like AB12: its column, from 0, and its row, from 1.
func place(name string) (column, line int, ok bool) {
	letters := 0
	name = strings.ReplaceAll(name, "$", "")
	for letters < len(name) && letters < 4 {
		letter := name[letters] &^ 0x20
		if letter < 'A' || letter > 'Z' {
			break
		}
		column = column*26 + int(letter-'A') + 1
		letters++
	}
	line, err := strconv.Atoi(name[letters:])
	if letters == 0 || err != nil || line < 1 || column > lastColumn {
		return 0, 0, false
	}
	return column - 1, line, true
}
