package components

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"portico/assets"
)

func TestTextIsReadableInEveryCompanyColour(t *testing.T) {
	themes := []string{"000000", "ffffff", "20ade5", "ffff00", "ff0000", "00ff00", "0000ff", "777777", "767676",
		"d9480f", "1c7ed6", "7f7f7f", "10171e", "f3f6f9"}
	for r := 0; r < 256; r += 51 {
		for g := 0; g < 256; g += 51 {
			for b := 0; b < 256; b += 51 {
				themes = append(themes, fmt.Sprintf("%02x%02x%02x", r, g, b))
			}
		}
	}
	hex := regexp.MustCompile(`--([a-z-]+):#([0-9a-f]{6})`)
	for _, theme := range themes {
		light, dark, _ := strings.Cut(ThemeStyle(theme), "@media")
		read := func(text string) map[string]rgb {
			found := map[string]rgb{}
			for _, m := range hex.FindAllStringSubmatch(text, -1) {
				found[m[1]] = parseTheme(m[2])
			}
			return found
		}
		day, night := read(light), read(dark)
		for what, pair := range map[string][2]rgb{
			"text on brand":         {day["brand-ink"], day["brand"]},
			"strong on page":        {day["brand-strong"], lightPage},
			"strong on card":        {day["brand-strong"], lightCard},
			"strong on dark page":   {night["brand-strong"], darkPage},
			"strong on dark card":   {night["brand-strong"], darkCard},
			"text on the wash":      {rgb{0x16, 0x21, 0x2c}, day["brand-soft"]},
			"text on the dark wash": {rgb{0xe9, 0xef, 0xf5}, night["brand-soft"]},
		} {
			if c := Contrast(pair[0], pair[1]); c < ReadableContrast {
				t.Errorf("%s: %s has contrast %.2f", theme, what, c)
			}
		}
	}
}

func TestInvalidThemeUsesTheDefault(t *testing.T) {
	for _, theme := range []string{"", "20ade", "20ade5f", "zzzzzz", "#20ade", `"};x{`, "+1ffff"} {
		if ThemeStyle(theme) != ThemeStyle(DefaultTheme) {
			t.Errorf("%q is not the default", theme)
		}
	}
}

func TestPreviewStyleHasItsOwnPalette(t *testing.T) {
	for _, theme := range []string{"20ade5", "ffff00", "000000", "zz"} {
		if got, want := PreviewStyle("trial", theme), strings.ReplaceAll(ThemeStyle(theme), ":root",
			".trial"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		p := PaletteOf(theme)
		for _, tones := range []Tones{p.Light, p.Dark} {
			if min(tones.OnButton, tones.OfLink, tones.OnRow) < ReadableContrast ||
				tones.OnButton != Contrast(parseTheme(tones.Ink[1:]), parseTheme(tones.Brand[1:])) {
				t.Errorf("%s: %+v", theme, tones)
			}
		}
	}
}

// The neutral colours stand in the sheet and in theme.go, which computes against them.
func TestNeutralColoursMatchTheStyleSheet(t *testing.T) {
	sheet := assets.SignInStyle()
	for name, c := range map[string]rgb{"--page": lightPage, "--card": lightCard, "--ink": lightInk} {
		if !strings.Contains(sheet, name+":"+c.String()) && !strings.Contains(sheet, name+":#fff") {
			t.Errorf("%s is not %s in the sheet", name, c)
		}
	}
	for name, c := range map[string]rgb{"--page": darkPage, "--card": darkCard, "--ink": darkInk} {
		if !strings.Contains(sheet, name+":"+c.String()) {
			t.Errorf("%s is not %s in the dark sheet", name, c)
		}
	}
}

func TestEveryUsedIconAndDrawingExists(t *testing.T) {
	for _, id := range assets.Trades {
		if _, _, ok := assets.Symbol(fmt.Sprintf("i-%d", id)); !ok {
			t.Errorf("no icon for industry %d", id)
		}
	}
}
