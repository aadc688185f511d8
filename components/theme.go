// Package components holds the templ building blocks shared by the pages: shell, fields, cards, states.
package components

import (
	"fmt"
	"math"
	"strconv"
)

// DefaultTheme is the colour of the platform and of companies without one (specification section 9).
const DefaultTheme = "20ade5"

// The page colours that text in the brand colour must read on, and those of text; the same values stand in the style sheet.
var (
	lightPage = rgb{0xf3, 0xf6, 0xf9}
	darkPage  = rgb{0x10, 0x17, 0x1e}
	lightCard = rgb{0xff, 0xff, 0xff}
	darkCard  = rgb{0x19, 0x22, 0x2b}
	lightInk  = rgb{0x16, 0x21, 0x2c}
	darkInk   = rgb{0xe9, 0xef, 0xf5}
	white     = rgb{0xff, 0xff, 0xff}
	black     = rgb{0, 0, 0}
)

// ReadableContrast is the least contrast of text, WCAG 2.2 level AA.
const ReadableContrast = 4.5

// ThemeStyle is the style of a company's colour, computed so that everything on or in it reads, whatever
// the company chose: six hex digits, anything else is DefaultTheme.
//
//	--brand         the colour            --brand-ink   black or white, whichever reads on it
//	--brand-strong  it, darker or lighter until it reads on the page     --brand-soft  a wash of it
func ThemeStyle(theme string) string { return themeRules(":root", theme) }

// PreviewStyle is the same for what stands inside the element of a class alone: a colour that is being tried.
func PreviewStyle(class, theme string) string { return themeRules("."+class, theme) }

func themeRules(selector, theme string) string {
	p := PaletteOf(theme)
	return fmt.Sprintf("%s{--brand:%s;--brand-ink:%s;--brand-strong:%s;--brand-soft:%s}@media(prefers-color-scheme:dark){%s{--brand-strong:%s;--brand-soft:%s}}",
		selector, p.Light.Brand, p.Light.Ink, p.Light.Strong, p.Light.Soft, selector, p.Dark.Strong, p.Dark.Soft)
}

// Palette is what a company's colour becomes, by day and by night, each with its contrasts.
type Palette struct{ Light, Dark Tones }

// Tones are the custom properties of one scheme, as CSS colours, and the contrasts of what is written in or on them: of the
// text on a button, of a link on a card, and of the text on a selected row.
type Tones struct {
	Brand  string `json:"--brand"`
	Ink    string `json:"--brand-ink"`
	Strong string `json:"--brand-strong"`
	Soft   string `json:"--brand-soft"`

	OnButton, OfLink, OnRow float64 `json:"-"`
}

// PaletteOf computes the palette of six hex digits; of anything else DefaultTheme's.
func PaletteOf(theme string) Palette {
	brand := parseTheme(theme)
	tones := func(strong, soft, card, text rgb) Tones {
		return Tones{
			Brand: brand.String(), Ink: ink(brand).String(), Strong: strong.String(), Soft: soft.String(),
			OnButton: Contrast(ink(brand), brand), OfLink: Contrast(strong, card), OnRow: Contrast(text, soft),
		}
	}
	return Palette{
		Light: tones(Readable(brand, lightPage, black), mix(brand, lightCard, .1), lightCard, lightInk),
		Dark:  tones(Readable(brand, darkCard, white), mix(brand, darkCard, .2), darkCard, darkInk),
	}
}

// ThemeColor is the company's colour as the browser's own chrome takes it.
func ThemeColor(theme string) string { return parseTheme(theme).String() }

type rgb [3]uint8

func (c rgb) String() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

func parseTheme(theme string) rgb {
	n, err := strconv.ParseUint(theme, 16, 32)
	if err != nil || len(theme) != 6 {
		n, _ = strconv.ParseUint(DefaultTheme, 16, 32)
	}
	return rgb{uint8(n >> 16), uint8(n >> 8), uint8(n)}
}

// ink is the text colour on a background: black or white, whichever has more contrast.
func ink(background rgb) rgb {
	if Contrast(background, white) >= Contrast(background, black) {
		return white
	}
	return black
}

// Readable moves a colour towards an end (black or white) in small steps until it reads on a background.
func Readable(c, background, end rgb) rgb {
	for share := 0.0; share < 1; share += .02 {
		if moved := mix(end, c, share); Contrast(moved, background) >= ReadableContrast {
			return moved
		}
	}
	return end
}

// mix lays share of a over b.
func mix(a, b rgb, share float64) rgb {
	var m rgb
	for i := range m {
		m[i] = uint8(math.Round(float64(a[i])*share + float64(b[i])*(1-share)))
	}
	return m
}

// Contrast is the contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio").
func Contrast(a, b rgb) float64 {
	x, y := luminance(a), luminance(b)
	if x < y {
		x, y = y, x
	}
	return (x + .05) / (y + .05)
}

func luminance(c rgb) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= .04045 {
			return s / 12.92
		}
		return math.Pow((s+.055)/1.055, 2.4)
	}
	return .2126*linear(c[0]) + .7152*linear(c[1]) + .0722*linear(c[2])
}
