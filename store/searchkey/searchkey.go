// Package searchkey makes the texts by which lists find and sort names.
package searchkey

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Old Chinese programs and input methods write the last 80 characters of GBK, surnames among them, as characters of
// Unicode's private area, because Unicode had them only later. These are the ones that Unicode has now.
const (
	firstOfOldGBK    = '\uE815'
	oldGBKCharacters = 80
)

var oldGBK = []rune("⺁𠂇𠂉𠃌⺄㑳㑇⺈⺋龴㖞㘚㘎⺌⺗㥮㤘龵㧏㧟㩳㧐龶龷㭎㱮㳠⺧𡗗龸⺪䁖䅟⺮䌷⺳⺶⺷𢦏䎱" +
	"䎬⺻䏝䓖䙡䙌龹䜣䜩䝼䞍⻊䥇䥺䥽䦂䦃䦅䦆䦟䦛䦷䦶龺𤇾䲣䲟䲠䲡䱷䲢䴓䴔䴕䴖䴗䴘䴙䶮龻")

// Of returns the spelling of a name by which it is found and sorted: what is Visible of it, composed, with full-width
// letters as ordinary ones, in lower case, with single spaces. Two spellings that people read as the same have the same
// key.
func Of(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(Visible(name))), " "))
}

// Visible returns a text as people see it: without the characters that only say how others are shown, which come along
// when a text is copied, with an ordinary space for every kind of space, and with the characters that Unicode has now
// for those of GBK's private area.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r):
			return -1
		case r == '\t' || unicode.Is(unicode.Zs, r):
			return ' '
		case firstOfOldGBK <= r && r < firstOfOldGBK+oldGBKCharacters:
			return oldGBK[r-firstOfOldGBK]
		}
		return r
	}, text)
}

// Digits returns the digits of a number as people write it, in groups and with a country code. ok is false for a text
// with other characters.
func Digits(text string) (digits string, ok bool) {
	ok = true
	digits = strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return r
		case unicode.IsSpace(r) || strings.ContainsRune("+()./", r) || unicode.Is(unicode.Pd, r):
			return -1
		}
		ok = false
		return -1
	}, Visible(norm.NFKC.String(text)))
	return digits, ok
}

// OfRow returns the key of a row that must have one: Of, or a key that nothing begins with for a name without letters.
func OfRow(name string) string { return cmp.Or(Of(name), "\uFFFD") }

// End returns a text that is greater than every key that begins with a prefix, and not greater than any other key
// above the prefix.
func End(prefix string) string { return prefix + "\U0010FFFF" }
