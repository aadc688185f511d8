package components

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"regexp"
	"strconv"

	scale "golang.org/x/image/draw"

	"portico/assets"
	"portico/components/outline"
)

// ShareWidth and ShareHeight are the size in pixels of the picture beside a shared link, as Open Graph recommends it.
const (
	ShareWidth  = 1200
	ShareHeight = 630
)

// ShareLook describes the picture of a company. The picture has a few words in the reader's language, drawn by
// assets/drawwords. It does not have the company's name, which is shown beside it anyway: a font for every name would
// be larger than this program.
type ShareLook struct {
	Theme    string // six hex digits, "" for the default
	Industry int64  // 0: the platform's own drawing
	Icon     []byte // the company's icon, a square PNG; nil for its industry's
	Seed     uint64 // the order of the small drawings, so that companies of one colour differ
	Words    string // the words below the door, a drawing of assets/words.svg
}

// The door is drawn on the whole picture and then made smaller, so that the words fit below it.
const (
	doorScale   = .82
	doorLeft    = (1 - doorScale) / 2 * ShareWidth
	wordsTop    = 514
	wordsHeight = 72
)

// SharePicture draws a door under a portico in a company's colour, with the company's icon on the door. It returns a
// PNG of ShareWidth × ShareHeight pixels.
func SharePicture(look ShareLook) ([]byte, error) {
	tones := PaletteOf(look.Theme).Light // the colours of a button, on which words are readable
	brand, ink := parseTheme(tones.Fill[1:]), parseTheme(tones.FillInk[1:])
	on := background(brand)
	outline.Fill(on, withOpacity(ink, .11), industryPattern(look.Seed)...)
	outline.Fill(on, withOpacity(white, .3), smaller(portico()...)...)
	if err := door(on, look, Readable(brand, white, black)); err != nil {
		return nil, err
	}
	words := wordsBelow(look.Words)
	outline.Fill(on, ink.color(), words, words.Stroke(2))
	var out bytes.Buffer
	err := png.Encode(&out, on)
	return out.Bytes(), err
}

func (c rgb) color() color.NRGBA { return color.NRGBA{c[0], c[1], c[2], 0xff} }

// withOpacity returns a colour with an opacity of share.
func withOpacity(c rgb, share float64) color.NRGBA {
	return color.NRGBA{c[0], c[1], c[2], uint8(math.Round(share * 255))}
}

// background returns a picture filled with the company's colour, which gets a little darker towards the bottom.
func background(brand rgb) *image.RGBA {
	on := image.NewRGBA(image.Rect(0, 0, ShareWidth, ShareHeight))
	for y := range ShareHeight {
		row := image.Rect(0, y, ShareWidth, y+1)
		draw.Draw(on, row, image.NewUniform(mix(black, brand, .14*float64(y)/ShareHeight).color()), image.Point{},
			draw.Src)
	}
	return on
}

// industryPattern returns small drawings of the twelve industries all over the picture, in an order that depends on
// seed.
func industryPattern(seed uint64) []outline.Path {
	const columns, rows, step, size = 10, 5, 126.0, 56.0
	var outlines []outline.Path
	for i := range columns * rows {
		x, y := step*float64(i%columns)+step/2-30, step*float64(i/columns)+step/2
		if i/columns%2 == 1 {
			x += step / 2
		}
		if i%len(assets.Trades) == 0 {
			seed = seed*6364136223846793005 + 1442695040888963407
		}
		// 5 and 12 have no common factor, so every industry appears before one appears again
		order := int(seed>>33) + i*5
		id := assets.Trades[order%len(assets.Trades)]
		if aside := math.Abs(x - ShareWidth/2); y > wordsTop || aside < 430 && y > .41*aside-30 {
			continue // the portico and the words are here
		}
		outlines = append(outlines, outlineOfDrawing("i-"+strconv.Itoa(id)).Transform(size/24, x-size/2,
			y-size/2).Stroke(1.75*size/24))
	}
	return outlines
}

// smaller returns outlines at the size and place of the door.
func smaller(outlines ...outline.Path) []outline.Path {
	for i, o := range outlines {
		outlines[i] = o.Transform(doorScale, doorLeft, 0)
	}
	return outlines
}

// wordsBelow returns the outline of words, in the middle below the door.
func wordsBelow(words string) outline.Path {
	const unit = 1000 // of the drawing
	o, width := outlineOfDrawing(words), 0.0
	for _, part := range o {
		for _, p := range part {
			width = max(width, p.X)
		}
	}
	scale := float64(wordsHeight) / unit
	return o.Transform(scale, (ShareWidth-width*scale)/2, wordsTop)
}

// portico returns the outlines of a gable, four columns and steps.
func portico() []outline.Path {
	outlines := []outline.Path{
		outline.Of("M600 40 940 178V204H260V178z"),
		roundedRectangle(282, 218, 636, 18, 4), roundedRectangle(262, 552, 676, 20, 4),
		roundedRectangle(236, 580, 728, 20, 4),
	}
	for _, x := range []float64{306, 390, 774, 858} {
		outlines = append(outlines, roundedRectangle(x-6, 246, 48, 12, 3), roundedRectangle(x, 264, 36, 264, 3),
			roundedRectangle(x-6, 534, 48, 12, 3))
	}
	return outlines
}

// door draws a door in the middle, with the company's icon or the drawing of its industry. Without either the door has
// two wings.
func door(on *image.RGBA, look ShareLook, ink rgb) error {
	industry := outlineOfDrawing("i-" + strconv.FormatInt(look.Industry, 10))
	if look.Icon == nil && industry == nil {
		outline.Fill(on, white.color(), smaller(outline.Of("M470 552V374a130 130 0 0 1 260 0V552z"))...)
		outline.Fill(on, ink.color(), smaller(outline.Of("M600 244V552M576 410v38m48-38v38").Stroke(8))...)
		return nil
	}
	outline.Fill(on, withOpacity(black, .14), smaller(roundedRectangle(462, 256, 276, 296, 34))...)
	outline.Fill(on, white.color(), smaller(roundedRectangle(466, 252, 268, 296, 30))...)
	switch {
	case look.Icon != nil:
		icon, err := png.Decode(bytes.NewReader(look.Icon))
		if err != nil {
			return err
		}
		at := func(n float64) int { return int(math.Round(n * doorScale)) }
		left := int(math.Round(doorLeft))
		scale.CatmullRom.Scale(on, image.Rect(left+at(500), at(300), left+at(700), at(500)), icon, icon.Bounds(),
			draw.Over, nil)
	default:
		outline.Fill(on, ink.color(), smaller(industry.Transform(8.6, 496.8, 296.8).Stroke(1.5*8.6))...)
	}
	return nil
}

func roundedRectangle(x, y, w, h, r float64) outline.Path {
	f := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	turn := "a" + f(r) + " " + f(r) + " 0 0 1 "
	return outline.Of("M" + f(x+r) + " " + f(y) + "h" + f(w-2*r) + turn + f(r) + " " + f(r) + "v" + f(h-2*r) + turn +
		f(-r) + " " + f(r) +
		"h" + f(2*r-w) + turn + f(-r) + " " + f(-r) + "v" + f(2*r-h) + turn + f(r) + " " + f(-r) + "z")
}

var pathData = regexp.MustCompile(`\bd="([^"]+)"`)

// outlineOfDrawing returns the outline of a drawing of the sprites, nil for an unknown name.
func outlineOfDrawing(name string) (outlines outline.Path) {
	markup, _, _ := assets.Symbol(name)
	for _, d := range pathData.FindAllStringSubmatch(markup, -1) {
		outlines = append(outlines, outline.Of(d[1])...)
	}
	return outlines
}
