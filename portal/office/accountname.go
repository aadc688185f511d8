package office

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"portico/portal/access"
	"portico/store/searchkey"
)

// What can be wrong with the name of a new account, beside LoginMalformed. Names that exist already go on.
const (
	LoginIsPhone   access.Problem = "login_is_phone"  // people who type their phone number would open it
	LoginLookAlike access.Problem = "login_lookalike" // its letters may be taken for those of another name
)

// phoneLength is the number of digits from which a name that has nothing else reads as a phone number. Employees'
// numbers and the like are shorter.
const phoneLength = 10

// newAccountName normalises the name of a new account. It replaces full-width letters and the like, which nobody types
// at sign-in, by ordinary ones and then normalises as access.NormalLogin does, so that every check sees the letters
// that are stored. It also returns what is wrong with the name, "" for nothing. An empty name is valid: the program
// makes one.
func newAccountName(typed string) (name string, problem access.Problem) {
	if len(typed) > access.MaxTyped {
		return "", access.LoginMalformed
	}
	name, ok := access.NormalLogin(norm.NFKC.String(typed))
	if !ok {
		return name, access.LoginMalformed
	}
	if name == "" {
		return "", ""
	}
	if !strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }) {
		return name, access.LoginMalformed
	}
	if digits, ok := searchkey.Digits(name); ok && (len(digits) >= phoneLength || strings.HasPrefix(name, "+")) {
		return name, LoginIsPhone
	}
	if looksLikeAnother(name) {
		return name, LoginLookAlike
	}
	return name, ""
}

// together are the scripts that one name may have letters of: a Chinese, Japanese or Korean name beside a Latin one.
var together = []*unicode.RangeTable{
	unicode.Latin, unicode.Han, unicode.Bopomofo, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
}

// latinLooking are the letters of other alphabets that look like Latin ones, in lower case.
const latinLooking = "аеорсухіјѕһԁԛԝкмтвнгп" + "ανιορτυκμηχγω" + "օսոցհյ"

// looksLikeAnother says whether a name mixes alphabets, or is written in letters that all look like Latin ones.
func looksLikeAnother(name string) bool {
	latin := false
	others := map[string]bool{}
	same := true
	for _, r := range strings.ToLower(name) {
		if !unicode.IsLetter(r) || unicode.In(r, unicode.Common, unicode.Inherited) {
			continue
		}
		if unicode.In(r, together...) {
			latin, same = true, false
			continue
		}
		for script, table := range unicode.Scripts {
			if unicode.Is(table, r) {
				others[script] = true
			}
		}
		same = same && strings.ContainsRune(latinLooking, r)
	}
	return len(others) > 1 || len(others) == 1 && (latin || same)
}
