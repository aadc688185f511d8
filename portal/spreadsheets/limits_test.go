package spreadsheets_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/portal/spreadsheets"
)

// cost reads a file, and returns the most memory that the program had in use meanwhile, above what it had before, in
// bytes.
func cost(t *testing.T, content []byte) (peak uint64, err error) {
	t.Helper()
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	done, most := make(chan struct{}), make(chan uint64)
	go func() {
		var now runtime.MemStats
		peak := uint64(0)
		for {
			select {
			case <-done:
				most <- peak
				return
			case <-time.After(2 * time.Millisecond):
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapInuse)
			}
		}
	}()
	begun := time.Now()
	_, err = spreadsheets.Read(t.Context(), content, wanted())
	took := time.Since(begun)
	close(done)
	peak = <-most
	peak -= min(peak, before.HeapInuse)
	t.Logf("%9d bytes: %3d MB, %s, %v", len(content), peak>>20, took.Round(time.Millisecond), err)
	return peak, err
}

// mostMemory is how much memory reading any file of 5 MB may take, in bytes.
const mostMemory = 100 << 20

func wantCheap(t *testing.T, files map[string][]byte) {
	t.Helper()
	for name, content := range files {
		t.Run(name, func(t *testing.T) {
			if len(content) > 5<<20 {
				t.Fatalf("a file of %d bytes cannot be sent", len(content))
			}
			if peak, _ := cost(t, content); peak > mostMemory {
				t.Errorf("takes %d MB", peak>>20)
			}
		})
	}
}

// style is a format of 480,000 characters, which a cell of style 1 has.
var style = text(`<styleSheet><numFmts><numFmt numFmtId="200" formatCode="` +
	strings.Repeat("yyyy-mm-dd hh:mm:ss.000 ", 20_000) + `"/></numFmts><cellXfs><xf numFmtId="0"/>` +
	`<xf numFmtId="200"/></cellXfs></styleSheet>`)

func TestAFileCostsLittleWhateverItHasInIt(t *testing.T) {
	shared := text("<sst><si><t>" + strings.Repeat("A", 3_300_000) + "</t></si></sst>")
	references := part{{row("name") + "<row>", 1}, {`<c t="s"><v>0</v></c>`, 60_000}, {"</row>", 1}}
	full := "<row>" + strings.Repeat(`<c t="s"><v>0</v></c>`, 30) + "</row>"
	var formats strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&formats, `<numFmt numFmtId="%d" formatCode="%s"/>`, 200+i, strings.Repeat("0", 1000))
	}
	wantCheap(t, map[string][]byte{
		"60,000 references to a long text": workbook(t, references, parts{sharedPart: shared}),
		"many rows of references to a long text": workbook(t, part{{row("name"), 1}, {full, 4000}},
			parts{sharedPart: shared}),
		"a long format": workbook(t, part{{row("name") + "<row>", 1}, {`<c s="1"><v>43210.123</v></c>`, 60_000},
			{"</row>", 1}},
			parts{stylesPart: style}),
		"long shared texts": workbook(t, text(row("name")), parts{sharedPart: part{{"<sst>", 1},
			{"<si><t>" + strings.Repeat("A", 600) + "</t></si>", 30_000}, {"</sst>", 1}}}),
		"empty shared texts": workbook(t, text(row("name")), parts{sharedPart: part{{"<sst>", 1}, {"<si/>", 2_000_000},
			{"</sst>", 1}}}),
		"a long tag": workbook(t, part{{row("name") + "<row ", 1}, {"a", 10_000_000}, {"/>", 1}}, nil),
		"a long text": workbook(t, part{{"<row><c t=\"inlineStr\"><is><t>", 1}, {"a", 10_000_000},
			{"</t></is></c></row>", 1}}, nil),
		"styles": workbook(t, text(row("name")), parts{stylesPart: part{{"<styleSheet><cellXfs>", 1}, {"<xf/>",
			100_000},
			{"</cellXfs></styleSheet>", 1}}}),
		"formats": workbook(t, text(row("name")), parts{stylesPart: text("<styleSheet><numFmts>" + formats.String() +
			"</numFmts></styleSheet>")}),
		"cells of a text": []byte("name\n" + strings.Repeat(",", 5<<20-5)),
		"rows of a text":  []byte("name\n" + strings.Repeat(",\n", 5<<19-5)),
		"quotes":          []byte("name\n" + strings.Repeat("\"\n", 5<<19-5)),
	})
}

func TestAFileThatUnpacksToMuchCostsLittle(t *testing.T) {
	testscope.OnlyInAll(t, "it unpacks half a gigabyte")
	height := `<row r="3" spans="1:3" ht="15" customHeight="1" x14ac:dyDescent="0.25"/>`
	wantCheap(t, map[string][]byte{
		"a million empty rows": workbook(t, part{{row("name") + row("Lee"), 1}, {height, 1_048_576}}, nil),
		"a tag of 90 MB":       workbook(t, part{{row("name") + "<row ", 1}, {"a", 90_000_000}, {"/>", 1}}, nil),
		"attributes": workbook(t, part{{row("name"), 1},
			{"<row" + strings.Repeat(` a=""`, 6000) + "/>", 2500}}, nil),
		"deep":      workbook(t, part{{row("name"), 1}, {"<x>", 30_000_000}}, nil),
		"far cells": workbook(t, part{{row("name"), 1}, {`<row><c r="XFD1"><v>1</v></c></row>`, 2_000_000}}, nil),
		"rows": workbook(t, part{{row("name"), 1}, {"<row>" + strings.Repeat("<c><v>1</v></c>", 1000) +
			"</row>", 10_000}}, nil),
		"merged ranges": workbook(t, part{{row("name"), 1}, {row(strings.Repeat("a", 600)), 1000},
			{`</sheetData><mergeCells>`, 1}, {`<mergeCell ref="A2:A1001"/>`, 1_500_000}, {`</mergeCells>` +
				`<sheetData>`, 1}}, nil),
		"sheets": workbook(t, text(row("name")), parts{bookPart: part{{`<workbook xmlns:r="r"><sheets>`, 1},
			{`<sheet name="One" r:id="rId1"/>`, 1_000_000}, {`</sheets></workbook>`, 1}}}),
	})
}

func TestReadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, content := range map[string][]byte{
		"a workbook": workbook(t, text(row("name")+row("Lee")), nil), "a text": []byte("name\nLee\n"),
	} {
		if _, err := spreadsheets.Read(ctx, content, wanted()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// unpacked returns how many bytes the parts of a workbook have.
func unpacked(t *testing.T, content []byte) (sum int) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range archive.File {
		sum += int(part.UncompressedSize64)
	}
	return sum
}

// Each file is as large as it may be, and one more of the same is too much.
func TestALimitIsWhereItIsSaidToBe(t *testing.T) {
	for name, c := range map[string]struct {
		file func(n int) []byte
		most int
		want error
	}{
		"rows": {func(n int) []byte { return []byte("name\n" + strings.Repeat("Lee\n", n)) }, 1000,
			spreadsheets.ErrTooManyRows},
		"rows of a workbook": {func(n int) []byte { return workbook(t, part{{row("name"), 1}, {row("Lee"), n}}, nil) },
			1000, spreadsheets.ErrTooManyRows},
		"bytes of a line": {func(n int) []byte { return []byte("name\n" + strings.Repeat("x", n) + "\n") }, 64 << 10,
			spreadsheets.ErrTooLarge},
		"bytes of a tag": {func(n int) []byte {
			return workbook(t, text(row("name")+`<row a="`+strings.Repeat("a", n-len(`row a=""/`))+`"/>`), nil)
		}, 32 << 10, spreadsheets.ErrTooLarge},
		"styles": {func(n int) []byte {
			return workbook(t, text(row("name")), parts{stylesPart: part{{"<styleSheet><cellXfs>", 1}, {"<xf/>", n},
				{"</cellXfs></styleSheet>", 1}}})
		}, 70_000, spreadsheets.ErrTooLarge},
		"bytes of a format": {func(n int) []byte {
			return workbook(t, text(row("name")), parts{stylesPart: text(`<styleSheet>` +
				`<numFmt numFmtId="200" formatCode="` +
				strings.Repeat("0", n) + `"/></styleSheet>`)})
		}, 1024, spreadsheets.ErrTooLarge},
		"bytes of all formats": {func(n int) []byte {
			return workbook(t, text(row("name")), parts{stylesPart: part{{"<styleSheet>", 1},
				{`<numFmt formatCode="` + strings.Repeat("0", 1024) + `"/>`, 1023},
				{`<numFmt formatCode="` + strings.Repeat("0", n-1023*1024) + `"/></styleSheet>`, 1}}})
		}, 1 << 20, spreadsheets.ErrTooLarge},
		"shared texts": {func(n int) []byte {
			return workbook(t, text(row("name")), parts{sharedPart: part{{"<sst>", 1}, {"<si/>", n}, {"</sst>", 1}}})
		}, 1 << 20, spreadsheets.ErrTooLarge},
		"merged ranges": {func(n int) []byte {
			return workbook(t, part{{row("name") + "</sheetData>", 1}, {`<mergeCell ref="A1:B1"/>`, n},
				{"<sheetData>", 1}}, nil)
		}, 100_000, spreadsheets.ErrTooLarge},
		"parts": {func(n int) []byte {
			more := parts{}
			for i := range n - 3 {
				more[fmt.Sprint("xl/media/", i)] = nil
			}
			return workbook(t, text(row("name")), more)
		}, 10_000, spreadsheets.ErrTooLarge},
		"sheets": {func(n int) []byte {
			return workbook(t, text(row("name")), parts{bookPart: part{
				{`<workbook xmlns:r="r"><sheets><sheet name="One" r:id="rId1"/>`, 1},
				{`<sheet name="Old" state="hidden" r:id="rId1"/>`, n - 1}, {`</sheets></workbook>`, 1},
			}})
		}, 1000, spreadsheets.ErrTooLarge},
		"bytes that are unpacked": {func(n int) []byte {
			return workbook(t, part{{row("name"), 1}, {" ", n - unpacked(t, workbook(t, text(row("name")), nil))}}, nil)
		}, 96 << 20, spreadsheets.ErrTooLarge},
		"bytes of all texts": {func(n int) []byte {
			rest := n - len("name") - 6990*600
			return []byte("name" + strings.Repeat(",", 9) + "\n" +
				strings.Repeat(strings.Repeat(strings.Repeat("x", 600)+",", 10)+"\n", 699) + strings.Repeat("x",
				rest) + "\n")
		}, 4 << 20, spreadsheets.ErrTooLarge},
	} {
		if _, err := spreadsheets.Read(t.Context(), c.file(c.most), wanted()); err != nil {
			t.Errorf("%d %s: %v", c.most, name, err)
		}
		if _, err := spreadsheets.Read(t.Context(), c.file(c.most+1), wanted()); !errors.Is(err, c.want) {
			t.Errorf("%d %s: %v, want %v", c.most+1, name, err, c.want)
		}
	}
}
