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
			"text on a button":      {day["brand-fill-ink"], day["brand-fill"]},
			"text on a dark button": {night["brand-fill-ink"], night["brand-fill"]},
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

func TestButtonsOfColoursThatAreNotLightHaveWhiteText(t *testing.T) {
	for theme, want := range map[string][2]string{ // the button in the light scheme
		"20ade5": {"#177ea7", "#ffffff"}, "d9480f": {"#d2460f", "#ffffff"}, "1c7ed6": {"#1b79cd", "#ffffff"},
		"b81f2b": {"#b81f2b", "#ffffff"}, "000000": {"#000000", "#ffffff"}, "ffe066": {"#ffe066", "#16212c"},
		"ffffff": {"#ffffff", "#16212c"}, "00ff00": {"#00ff00", "#16212c"},
	} {
		if p := PaletteOf(theme); p.Light.Fill != want[0] || p.Light.FillInk != want[1] {
			t.Errorf("%s: %s on %s, want %s on %s", theme, p.Light.FillInk, p.Light.Fill, want[1], want[0])
		}
	}
}

func TestWashesAndDarkButtonsCanBeSeen(t *testing.T) {
	for _, theme := range []string{
		"20ade5", "d9480f", "1c7ed6", "b81f2b", "176b45", "7d5200", "8b5cf6", "ff6f91", "0b7285", "364fc7", "5c940d",
		"111827",
	} {
		p := PaletteOf(theme)
		for what, c := range map[string]float64{
			"wash":      Contrast(parseTheme(p.Light.Soft[1:]), lightCard) / WashContrast,
			"dark wash": Contrast(parseTheme(p.Dark.Soft[1:]), darkCard) / WashContrast,
			"button":    Contrast(parseTheme(p.Dark.Fill[1:]), darkCard) / fillContrast,
		} {
			if c < 1 {
				t.Errorf("%s: %s is %.2f of what it should be", theme, what, c)
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
				tones.OnButton != Contrast(parseTheme(tones.FillInk[1:]), parseTheme(tones.Fill[1:])) {
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
