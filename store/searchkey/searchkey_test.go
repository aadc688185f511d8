package searchkey

import (
	"testing"
	"unicode"

	"golang.org/x/text/encoding/simplifiedchinese"
)

func TestSpellingsThatReadTheSameHaveTheSameKey(t *testing.T) {
	for name, want := range map[string]string{
		"River Lane":          "river lane",
		"  River \u3000Lane ": "river lane",
		"ＲＩＶＥＲ lane":          "river lane",
		"A\u0301lamo":         "álamo",
		"ÁLAMO":               "álamo",
		"金穗粮油":                "金穗粮油",
		"":                    "",
	} {
		if got := Of(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestWhatNobodySeesIsDroppedAndEverySpaceIsASpace(t *testing.T) {
	for text, want := range map[string]string{
		"王\u3000芳": "王 芳", "José\u00a0Luis": "José Luis", "零\u200b宽": "零宽", "\u202d138\u202c": "138",
		"a\u2009b":                        "a b",
		"\u2068x\u2069\ufeff\ufe0f\u00ad": "x", "a\tb": "a b", "a\nb": "a\nb",
		"👨\u200d👩": "👨👩", "مطعم النور": "مطعم النور",
		"𠮷": "𠮷", "a b": "a b", "": "",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The decoder knows most of the 80 characters by themselves.
func TestCharactersOfGBKsPrivateAreaAreTheirOwn(t *testing.T) {
	known, private := 0, '\uE815'
	for second := 0x50; second <= 0xA0; second++ {
		if second == 0x7F {
			continue
		}
		want, _ := simplifiedchinese.GB18030.NewDecoder().Bytes([]byte{0xFE, byte(second)})
		got := Visible(string(private))
		if string(want) != "\uFFFD" {
			known++
			if got != string(want) {
				t.Errorf("%U is read as %q, want %q", private, got, want)
			}
		}
		if first := []rune(got)[0]; unicode.Is(unicode.Co, first) || !unicode.IsPrint(first) {
			t.Errorf("%U is read as %U", private, first)
		}
		private++
	}
	if known < 60 || private != '\uE865' {
		t.Errorf("%d characters compared, up to %U", known, private)
	}
	for typed, want := range map[string]string{"\uE863国强": "䶮国强", "\uE814": "\uE814", "\uE865": "\uE865"} {
		if got := Visible(typed); got != want {
			t.Errorf("%U is read as %q", []rune(typed), got)
		}
	}
}

func TestDigitsAreReadHoweverTheyAreGrouped(t *testing.T) {
	for text, want := range map[string]string{
		"138 1111 3347": "13811113347", "138-1111-3347": "13811113347", "138‑1111–3347": "13811113347",
		"(138) 1111.3347": "13811113347", "+86 138/1111/3347": "8613811113347", "１３８": "138",
		"\u202d13811113345\u202c": "13811113345", "123\u00a0456": "123456", "": "",
	} {
		if got, ok := Digits(text); got != want || !ok {
			t.Errorf("%q: %q, %t, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"12a", "1,2", "1_2", "1\x002", "①x"} {
		if got, ok := Digits(text); ok {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestTheEndOfAPrefixIsAboveItsKeysAndBelowTheNextOnes(t *testing.T) {
	for _, key := range []string{"金", "金穗", "金穗粮油", "金鿿"} {
		if key < "金" || key >= End("金") {
			t.Errorf("%q is not found by its first letter", key)
		}
	}
	for _, key := range []string{"釒", "釓", "量", "a"} {
		if key >= "金" && key < End("金") {
			t.Errorf("%q is found by another letter", key)
		}
	}
}
