// Package components holds the templ building blocks shared by the pages: shell, fields, cards, states.
package components

import (
	"fmt"
	"math"
	"strconv"
)

// DefaultTheme is the colour of the platform and of companies without a colour of their own, as six hex digits.
const DefaultTheme = "20ade5"

// The colours of the page, of a card and of text, in the light and the dark scheme. Text in the brand colour must be
// readable on the page and on the card. The style sheet has the same values.
var (
	lightPage = rgb{0xea, 0xef, 0xf4}
	darkPage  = rgb{0x0d, 0x13, 0x1a}
	lightCard = rgb{0xff, 0xff, 0xff}
	darkCard  = rgb{0x19, 0x22, 0x2b}
	lightInk  = rgb{0x16, 0x21, 0x2c}
	darkInk   = rgb{0xe9, 0xef, 0xf5}
	white     = rgb{0xff, 0xff, 0xff}
	black     = rgb{0, 0, 0}
)

// ReadableContrast is the least contrast of text, WCAG 2.2 level AA.
const ReadableContrast = 4.5

// WashContrast is the least contrast between a card and the wash on it, which is a light tint of the brand colour.
const WashContrast = 1.25

// fillContrast is the least contrast of a button with a dark card.
const fillContrast = 3

// mostDarkened is how much black may be mixed into a colour, as a share, until white text is readable on it. A colour
// that would need more black stays as it is and gets dark text.
const mostDarkened = .45

// ThemeStyle returns the style of a company's colour, six hex digits; anything else counts as DefaultTheme. The custom
// properties are computed so that text is readable, whatever colour the company chose:
//
//	--brand           the colour
//	--brand-ink       text on it: black or white
//	--brand-fill      the colour of buttons: darkened until white text is readable on it, unless that takes too much
//	                  black; in the dark scheme then lightened until the button is visible on a card
//	--brand-fill-ink  text on that: white, or dark on a light colour
//	--brand-strong    the colour made darker or lighter until it is readable on the page and on the wash
//	--brand-soft      a wash of it that is visible on a card
func ThemeStyle(theme string) string { return themeRules(":root", theme) }

// MarkStyle returns the style of a company's mark, or of the drawing of its shop, on a page without that company's
// style. The mark has the colour of the company's buttons, and the initial on it the colour of their text.
func MarkStyle(class, theme string) string {
	tones := PaletteOf(theme).Light
	return fmt.Sprintf(".%s{--mark:%s;--mark-ink:%s}", class, tones.Fill, tones.FillInk)
}

// PreviewStyle returns the rules of ThemeStyle for the elements of a class and those inside them, to preview a colour.
func PreviewStyle(class, theme string) string { return themeRules("."+class, theme) }

func themeRules(selector, theme string) string {
	p := PaletteOf(theme)
	fill := func(t Tones) string {
		return fmt.Sprintf("--brand-fill:%s;--brand-fill-ink:%s;--brand-strong:%s;--brand-soft:%s",
			t.Fill, t.FillInk, t.Strong, t.Soft)
	}
	return fmt.Sprintf("%s{--brand:%s;--brand-ink:%s;%s}@media(prefers-color-scheme:dark){%s{%s}}",
		selector, p.Light.Brand, p.Light.Ink, fill(p.Light), selector, fill(p.Dark))
}

// Palette has the colours that are computed from a company's colour, in the light and in the dark scheme.
type Palette struct{ Light, Dark Tones }

// Tones are the custom properties of one scheme, as CSS colours, and the contrast ratios of the text on a button, of a
// link on a card and of the text on a selected row.
type Tones struct {
	Brand   string `json:"--brand"`
	Ink     string `json:"--brand-ink"`
	Fill    string `json:"--brand-fill"`
	FillInk string `json:"--brand-fill-ink"`
	Strong  string `json:"--brand-strong"`
	Soft    string `json:"--brand-soft"`

	OnButton, OfLink, OnRow float64 `json:"-"`
}

// PaletteOf computes the palette of a colour of six hex digits. For anything else it returns that of DefaultTheme.
func PaletteOf(theme string) Palette {
	brand := parseTheme(theme)
	tones := func(fill, page, card, text, towards rgb) Tones {
		ink, soft := fillInk(fill), wash(brand, card)
		strong := Readable(Readable(brand, page, towards), soft, towards)
		return Tones{
			Brand: brand.String(), Ink: textColour(brand).String(), Fill: fill.String(), FillInk: ink.String(),
			Strong: strong.String(), Soft: soft.String(),
			OnButton: Contrast(ink, fill), OfLink: Contrast(strong, card), OnRow: Contrast(text, soft),
		}
	}
	light := fillOf(brand)
	dark := light
	for share := 0.0; Contrast(dark, darkCard) < fillContrast && share < 1; share += .02 {
		dark = mix(white, light, share)
	}
	return Palette{
		Light: tones(light, lightPage, lightCard, lightInk, black),
		Dark:  tones(dark, darkCard, darkCard, darkInk, white),
	}
}

// fillOf darkens a colour until white text is readable on it. A colour that would have to take more than mostDarkened
// stays as it is.
func fillOf(brand rgb) rgb {
	for share := 0.0; share <= mostDarkened; share += .01 {
		if fill := mix(black, brand, share); Contrast(fill, white) >= ReadableContrast {
			return fill
		}
	}
	return brand
}

// fillInk returns the text colour for a button: white if it is readable, else dark.
func fillInk(fill rgb) rgb {
	switch {
	case Contrast(fill, white) >= ReadableContrast:
		return white
	case Contrast(fill, lightInk) >= ReadableContrast:
		return lightInk
	}
	return black
}

// wash lays the brand colour over a card, thin at first, until it has WashContrast. If the colour is like the card's,
// it lays black or white over it.
func wash(brand, card rgb) rgb {
	const thinnest, thickest = .1, .6
	for _, over := range []rgb{brand, textColour(card)} {
		for share := thinnest; share < thickest; share += .02 {
			if soft := mix(over, card, share); Contrast(soft, card) >= WashContrast {
				return soft
			}
		}
	}
	return card
}

// ThemeColor returns the company's colour as "#rrggbb", for the browser's own controls.
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

// textColour returns the text colour for a background: black or white, the one with more contrast.
func textColour(background rgb) rgb {
	if Contrast(background, white) >= Contrast(background, black) {
		return white
	}
	return black
}

// Readable moves a colour towards end (black or white) in small steps until it has ReadableContrast on a background.
func Readable(c, background, end rgb) rgb {
	for share := 0.0; share < 1; share += .02 {
		if moved := mix(end, c, share); Contrast(moved, background) >= ReadableContrast {
			return moved
		}
	}
	return end
}

// mix returns b with a laid over it with an opacity of share.
func mix(a, b rgb, share float64) rgb {
	var m rgb
	for i := range m {
		m[i] = uint8(math.Round(float64(a[i])*share + float64(b[i])*(1-share)))
	}
	return m
}

// Contrast returns the contrast ratio of two colours, 1 to 21, as WCAG 2.2 defines it.
func Contrast(a, b rgb) float64 {
	x, y := luminance(a), luminance(b)
	if x < y {
		x, y = y, x
	}
	return (x + .05) / (y + .05)
}

func luminance(c rgb) float64 {
	return .2126*linear[c[0]] + .7152*linear[c[1]] + .0722*linear[c[2]]
}

// linear maps each value of a colour channel to its linear light. It is computed once, because every page computes a
// palette, which compares about a hundred colours.
var linear = func() (light [256]float64) {
	for v := range light {
		s := float64(v) / 255
		if s <= .04045 {
			light[v] = s / 12.92
		} else {
			light[v] = math.Pow((s+.055)/1.055, 2.4)
		}
	}
	return light
}()
