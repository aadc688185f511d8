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

// powers matches a number in scientific notation, like 6.90123E+12 or 1.3811114445E10.
var powers = regexp.MustCompile(`^(\d)(?:[.,](\d+))?[Ee](\+?)(\d{1,2})$`)

// meaning returns the value that a cell's text stands for. It removes the marks that keep a spreadsheet from reading
// the text as a number or a formula: ="…" and a leading apostrophe. It writes 1.3811114445E10 as 13811114445, because
// all digits are there. The doubt is ErrorValue for an error, and Shortened for a number like 6.90123E+12, which has
// lost digits. Without the plus, such a text stays as it is and is not doubted.
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
	fraction := strings.TrimRight(parts[2], "0")
	switch {
	case parts[2] != "" && len(parts[2]) >= power && len(fraction) <= power:
		return parts[1] + parts[2][:power], ""
	case parts[3] == "+":
		return text, Shortened
	}
	return text, ""
}

// guarded are the first characters of numbers and formulas. People and programs write an apostrophe before them, so
// that a spreadsheet keeps the text.
const guarded = "0123456789=+-@＝＋－＠"

// isHashes reports whether a text is only # signs, which a column shows when it is too narrow for a number.
func isHashes(text string) bool { return len(text) > 2 && strings.Trim(text, "#") == "" }

func firstCharacter(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}
