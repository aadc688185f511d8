// Command drawwords draws the words of the pictures for shared links as outlines, so that the program needs no font. It
// reads a TrueType font or the first one of a collection, and prints the contents of assets/words.svg:
//
//	go run ./assets/drawwords FONT >assets/words.svg
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// unit is the size of the font in the units of the drawing, and baseline the height of the baseline in it.
const (
	unit     = 1000
	baseline = 880
)

// words are the words of the platform's picture and of a company's, by language.
var words = []struct{ id, text string }{
	{"words-platform-zh", "Portico 订货平台"},
	{"words-platform-es", "Portico · Pedidos entre empresas"},
	{"words-platform-en", "Portico · Wholesale ordering"},
	{"words-company-zh", "在线订货"},
	{"words-company-es", "Pedidos en línea"},
	{"words-company-en", "Order online"},
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: drawwords FONT")
	}
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fonts, err := sfnt.ParseCollection(file)
	if err != nil {
		log.Fatal(err)
	}
	face, err := fonts.Font(0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(`<svg xmlns="http://www.w3.org/2000/svg">`)
	for _, w := range words {
		path, width, err := drawn(face, w.text)
		if err != nil {
			log.Fatalf("%s: %v", w.id, err)
		}
		fmt.Printf("<symbol id=%q viewBox=\"0 0 %d %d\"><path d=%q/></symbol>\n", w.id, width, unit, path)
	}
	fmt.Println("</svg>")
}

// drawn returns the outlines of a text as the data of an SVG path, and its width.
func drawn(face *sfnt.Font, text string) (path string, width int, err error) {
	var (
		b      sfnt.Buffer
		d      strings.Builder
		x      int
		number = func(p fixed.Point26_6) string { return fmt.Sprintf("%d %d", x+p.X.Round(), baseline+p.Y.Round()) }
	)
	for _, r := range text {
		glyph, err := face.GlyphIndex(&b, r)
		if err != nil {
			return "", 0, err
		}
		if glyph == 0 {
			return "", 0, fmt.Errorf("the font has no %q", r)
		}
		segments, err := face.LoadGlyph(&b, glyph, fixed.I(unit), nil)
		if err != nil {
			return "", 0, err
		}
		for i, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					d.WriteByte('Z')
				}
				d.WriteString("M" + number(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				d.WriteString("L" + number(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				d.WriteString("Q" + number(s.Args[0]) + " " + number(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				d.WriteString("C" + number(s.Args[0]) + " " + number(s.Args[1]) + " " + number(s.Args[2]))
			}
		}
		if len(segments) > 0 {
			d.WriteByte('Z')
		}
		advance, err := face.GlyphAdvance(&b, glyph, fixed.I(unit), font.HintingNone)
		if err != nil {
			return "", 0, err
		}
		x += advance.Round()
	}
	return d.String(), x, nil
}
