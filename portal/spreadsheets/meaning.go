package spreadsheets

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// errorValues are what spreadsheets show in the place of a value that they cannot calculate, in English and Spanish.
// Chinese programs show the English ones.
var errorValues = map[string]bool{
	"#N/A": true, "#DIV/0!": true, "#REF!": true, "#VALUE!": true, "#NAME?": true, "#NUM!": true, "#NULL!": true,
	"#SPILL!": true, "#CALC!": true, "#FIELD!": true, "#BLOCKED!": true, "#CONNECT!": true, "#BUSY!": true,
	"#UNKNOWN!": true, "#GETTING_DATA": true, "#ERROR!": true,
	"#N/D": true, "#¡DIV/0!": true, "#¡REF!": true, "#¡VALOR!": true, "#¿NOMBRE?": true, "#¡NUM!": true,
	"#¡NULO!": true,
}

// powers is a number like 6.90123E+12 or 1.3811114445E10, as spreadsheets and programs write large ones.
var powers = regexp.MustCompile(`^(\d)(?:[.,](\d+))?[Ee](\+?)(\d{1,2})$`)

// meaning returns what a text in a cell means: without the marks that keep a spreadsheet from reading it as a number or
// a formula, and with all digits of a number in powers of ten if they are there.
func meaning(text string) (string, Doubt) {
	if inner, ok := strings.CutPrefix(text, `="`); ok {
		if inner, ok = strings.CutSuffix(inner, `"`); ok {
			text = strings.TrimSpace(strings.ReplaceAll(inner, `""`, `"`))
		}
	}
	if rest, ok := strings.CutPrefix(text, "'"); ok && rest != "" && strings.Contains(guarded, firstCharacter(rest)) {
		text = rest
	}
	if errorValues[strings.ToUpper(text)] || isHashes(text) {
		return text, ErrorValue
	}
	parts := powers.FindStringSubmatch(text)
	if parts == nil {
		return text, ""
	}
	power, _ := strconv.Atoi(parts[4])
	zeros := strings.TrimRight(parts[2], "0")
	switch {
	case parts[2] != "" && len(parts[2]) >= power && len(zeros) <= power:
		return parts[1] + parts[2][:power], ""
	case parts[3] == "+":
		return text, Shortened
	}
	return text, ""
}

// guarded are the characters before which people and programs write an apostrophe: of numbers, and of formulas.
const guarded = "0123456789=+-@＝＋－＠"

// isHashes reports whether a text is what a column shows that is too narrow for its number.
func isHashes(text string) bool { return len(text) > 2 && strings.Trim(text, "#") == "" }

func firstCharacter(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}
