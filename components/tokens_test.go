package components

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"portico/assets"
)

// companyColours are twelve colours that companies choose: the platform's, loud ones, pale ones and nearly black.
var companyColours = []string{
	"20ade5", "d9480f", "1c7ed6", "b81f2b", "176b45", "ffd43b", "8b5cf6", "ff6f91", "0b7285", "364fc7", "a9e34b",
	"111827",
}

// Contrasts of WCAG 2.2: of text, and of the edges of controls and signs that mean something.
const (
	ofText = ReadableContrast
	ofSign = 3
)

// tokenPairs are the pairs of colours that the style sheets put on each other: what is drawn, on what, and the least
// contrast of the two.
var tokenPairs = []struct {
	on    string
	least float64
	drawn []string
}{
	{"page", ofText, []string{"ink", "ink-2", "brand-strong", "bad"}},
	{"card", ofText, []string{"ink", "ink-2", "brand-strong", "bad", "ok", "warn"}},
	{"raised", ofText, []string{"ink"}},
	{"track", ofText, []string{"ink", "ink-2"}},
	{"info-soft", ofText, []string{"ink"}},
	{"bad-soft", ofText, []string{"bad", "ink"}},
	{"ok-soft", ofText, []string{"ok", "ink"}},
	{"warn-soft", ofText, []string{"warn", "ink"}},
	{"brand-soft", ofText, []string{"ink", "ink-2", "brand-strong"}},
	{"brand", ofText, []string{"brand-ink"}},
	{"brand-fill", ofText, []string{"brand-fill-ink"}},
	{"page", ofSign, []string{"edge"}},
	{"card", ofSign, []string{"edge"}},
	{"brand-strong", ofSign, []string{"tick"}},
	{"page", 1.15, []string{"card"}},
	{"track", WashContrast, []string{"raised"}},
	{"card", WashContrast, []string{"brand-soft"}},
}

// TestEveryPairOfTokensIsReadable reads the colours from the style sheet, so that a changed colour is measured, too.
func TestEveryPairOfTokensIsReadable(t *testing.T) {
	sheet := assets.SignInStyle()
	darkAt := strings.Index(sheet, "@media (prefers-color-scheme:dark)")
	if darkAt < 0 {
		t.Fatal("the sheet has no dark scheme")
	}
	rest := sheet[darkAt:]
	schemes := map[string]map[string]rgb{
		"light": tokensIn(sheet[:darkAt]), "dark": tokensIn(rest[:strings.Index(rest, "}}")]),
	}
	for scheme, neutral := range schemes {
		for _, theme := range companyColours {
			colours := map[string]rgb{}
			light, dark, _ := strings.Cut(ThemeStyle(theme), "@media")
			for _, tokens := range []map[string]rgb{neutral, tokensIn(light)} {
				for name, c := range tokens {
					colours[name] = c
				}
			}
			if scheme == "dark" {
				for name, c := range tokensIn(dark) {
					colours[name] = c
				}
			}
			for _, pair := range tokenPairs {
				for _, drawn := range pair.drawn {
					one, found := colours[drawn]
					other, has := colours[pair.on]
					if !found || !has {
						t.Fatalf("%s: no colour for %s on %s", scheme, drawn, pair.on)
					}
					if c := Contrast(one, other); c < pair.least {
						t.Errorf("%s, company colour %s: %s on %s has %.2f, want %.2f",
							scheme, theme, drawn, pair.on, c, pair.least)
					}
				}
			}
		}
	}
}

var (
	tokenForm = regexp.MustCompile(`--([a-z0-9-]+):\s*#([0-9a-f]{6}|[0-9a-f]{3})\b`)
	tickForm  = regexp.MustCompile(`stroke='%23([0-9a-f]{6}|[0-9a-f]{3})'`)
)

// tokensIn returns the colours of the custom properties in a part of a style sheet, and that of the tick.
func tokensIn(sheet string) map[string]rgb {
	found := map[string]rgb{}
	for _, m := range tokenForm.FindAllStringSubmatch(sheet, -1) {
		found[m[1]] = parseTheme(sixDigits(m[2]))
	}
	if m := tickForm.FindStringSubmatch(sheet); m != nil {
		found["tick"] = parseTheme(sixDigits(m[1]))
	}
	return found
}

// sixDigits writes a colour of three hex digits with six.
func sixDigits(hex string) string {
	if len(hex) != 3 {
		return hex
	}
	var six strings.Builder
	for _, digit := range hex {
		six.WriteString(strings.Repeat(string(digit), 2))
	}
	return six.String()
}

// TestGapsAreOnTheGrid checks the distances between things; paddings make up for borders and are not checked.
func TestGapsAreOnTheGrid(t *testing.T) {
	gap, number := regexp.MustCompile(`gap:([^;}]*)`), regexp.MustCompile(`(\d+)px`)
	found := 0
	for _, sheet := range []string{
		assets.AccountStyle(), assets.FlowsStyle(), assets.LandingStyle(), assets.OfficeStyle(), assets.OverviewStyle(),
	} {
		for _, m := range gap.FindAllStringSubmatch(sheet, -1) {
			for _, n := range number.FindAllStringSubmatch(m[1], -1) {
				found++
				if pixels, _ := strconv.Atoi(n[1]); pixels%4 != 0 {
					t.Errorf("a gap of %s px is not on the grid of 4 px", n[1])
				}
			}
		}
	}
	if found == 0 {
		t.Error("no gap was found")
	}
}
