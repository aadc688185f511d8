// Package components holds the templ building blocks shared by the pages: shell, fields, cards, states.
package components

import (
	"fmt"
	"math"
	"strconv"
)

// DefaultTheme is the colour of the platform and of companies without one (specification section 9).
const DefaultTheme = "20ade5"

// The page colours that text in the brand colour must read on; the same values stand in the style sheet.
var (
	lightPage = rgb{0xf3, 0xf6, 0xf9}
	darkPage  = rgb{0x10, 0x17, 0x1e}
	lightCard = rgb{0xff, 0xff, 0xff}
	darkCard  = rgb{0x19, 0x22, 0x2b}
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
func ThemeStyle(theme string) string {
	brand := parseTheme(theme)
	light, dark := Readable(brand, lightPage, black), Readable(brand, darkCard, white)
	return fmt.Sprintf(":root{--brand:%s;--brand-ink:%s;--brand-strong:%s;--brand-soft:%s}@media(prefers-color-scheme:dark){:root{--brand-strong:%s;--brand-soft:%s}}",
		brand, ink(brand), light, mix(brand, lightCard, .1), dark, mix(brand, darkCard, .2))
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
