package spreadsheets

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

const (
	// mostUnpacked is how many bytes of a workbook's parts are unpacked, all together. A thousand full rows take a
	// fifth of it, and a million rows that have nothing but their height somewhat less than all.
	mostUnpacked = 96 << 20
	// mostParts is how many parts a workbook may have. The list of parts is in memory.
	mostParts = 10_000
	// mostTag and mostText are how long a tag of XML may be, and how much of a text between two tags is read, in bytes.
	// A cell of Excel has at most 32,767 characters; of these Wanted.CellBytes are kept.
	mostTag  = 32 << 10
	mostText = 16 << 10
)

// archive has the parts of a workbook.
type archive struct {
	ctx   context.Context
	parts map[string]*zip.File // by their names in lower case
	left  int64                // bytes that may still be unpacked
}

func openArchive(ctx context.Context, content []byte) (*archive, error) {
	if bytes.Count(content, []byte("PK\x01\x02")) > mostParts { // one for each entry of the list of parts
		return nil, ErrTooLarge
	}
	list, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, ErrUnreadable
	}
	a := &archive{ctx: ctx, parts: map[string]*zip.File{}, left: mostUnpacked}
	for _, part := range list.File {
		name := partName(part.Name)
		if a.parts[name] == nil {
			a.parts[name] = part
		}
	}
	return a, nil
}

// partName returns the name by which a part is found. Names are the same in capitals; some programs write backslashes.
func partName(name string) string {
	return strings.ToLower(strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// has reports whether there is a part of a name.
func (a *archive) has(name string) bool { return a.parts[partName(name)] != nil }

// each passes the tags and texts of a part to do, in their order, until do returns an error. A part that does not end
// is ErrUnreadable, because what is missing in it would be missing in the import.
func (a *archive) each(name string, do func(xml.Token) error) error {
	part := a.parts[partName(name)]
	if part == nil {
		return ErrUnreadable
	}
	from, err := part.Open()
	if err != nil {
		return ErrUnreadable
	}
	defer func() { _ = from.Close() }()
	limited := &limitedXML{archive: a, from: from}
	decoder := xml.NewDecoder(bufio.NewReaderSize(limited, 16<<10))
	decoder.Strict = false // a text that mostText has cut may end within an entity
	depth := 0
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) && depth == 0 {
			return nil
		}
		if err != nil {
			return limited.reason()
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		if err := do(token); err != nil {
			return err
		}
	}
}

// limitedXML reads a part of an archive. It leaves out what is above mostText of a text, and ends at a longer tag than
// mostTag, at the end of the archive's limit, and at the end of the archive's context.
type limitedXML struct {
	archive *archive
	from    io.Reader
	inTag   bool
	run     int // bytes since the last < or >
	broken  error
}

// reason returns why the part could not be read to its end.
func (l *limitedXML) reason() error {
	if l.broken != nil {
		return l.broken
	}
	return ErrUnreadable
}

func (l *limitedXML) Read(to []byte) (int, error) {
	for {
		if l.broken = l.archive.ctx.Err(); l.broken != nil {
			return 0, l.broken
		}
		n, err := l.from.Read(to)
		if l.archive.left -= int64(n); l.archive.left < 0 {
			l.broken = ErrTooLarge
			return 0, l.broken
		}
		kept := l.keep(to[:n])
		if l.broken != nil {
			return 0, l.broken
		}
		if kept > 0 || err != nil {
			return kept, err
		}
	}
}

// keep moves the bytes that are read to the beginning of part, and returns how many they are.
func (l *limitedXML) keep(part []byte) int {
	kept := 0
	for _, b := range part {
		l.run++
		if b == '<' || b == '>' {
			l.inTag, l.run = b == '<', 0
		}
		if l.inTag && l.run > mostTag {
			l.broken = ErrTooLarge
			return 0
		}
		if l.inTag || l.run <= mostText {
			part[kept] = b
			kept++
		}
	}
	return kept
}

// attribute returns the value of an attribute of an element. prefixed is for those of another name space, as in r:id.
func attribute(element xml.StartElement, name string, prefixed bool) string {
	for _, a := range element.Attr {
		if a.Name.Local == name && (a.Name.Space != "") == prefixed {
			return a.Value
		}
	}
	return ""
}

// isTrue reads the value of an attribute that is true or false.
func isTrue(value string) bool { return value == "1" || value == "true" }
