package stylesheet

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// styleKind is what a token of a style sheet is.
type styleKind byte

// The kinds. A styleMark is any one character that is nothing else.
const (
	styleEnd styleKind = iota
	styleSpace
	styleWord
	styleFunction // a word and the bracket after it
	styleAt
	styleHash
	styleString
	styleNumber
	styleMark
)

// styleToken is a token as a browser would read it: escapes are read, comments are space.
type styleToken struct {
	kind   styleKind
	text   string // of a number: its unit, lower case
	number float64
	line   int
}

// word is a word's text as keywords are compared.
func (t styleToken) word() string { return strings.ToLower(t.text) }

func (t styleToken) is(mark string) bool { return t.kind == styleMark && t.text == mark }

// shown is a token as a refusal quotes it.
func (t styleToken) shown() string {
	switch t.kind {
	case styleFunction:
		return t.text + "("
	case styleAt:
		return "@" + t.text
	case styleHash:
		return "#" + t.text
	case styleString:
		return strconv.Quote(t.text)
	case styleNumber:
		return shownNumber(t.number) + t.text
	case styleSpace:
		return " "
	}
	return t.text
}

func shownNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// styleLexer cuts a style sheet into tokens. It knows less than a browser, so that what it reads both read alike: names
// are ASCII, numbers have no exponent, and an end of the file ends nothing that was begun.
type styleLexer struct {
	source string
	at     int
	line   int
	tokens []styleToken
}

// lexStyle gives the tokens of a sheet with a last one for its end, or the problem that stopped it.
func lexStyle(source string) ([]styleToken, *StyleProblem) {
	l := styleLexer{source: source, line: 1}
	for l.at < len(l.source) {
		if why := l.next(); why != "" {
			return nil, &StyleProblem{Line: l.line, Why: why, What: excerpt(l.source[l.at:])}
		}
	}
	return append(l.tokens, styleToken{kind: styleEnd, line: l.line}), nil
}

func (l *styleLexer) next() StyleWhy {
	c := l.source[l.at]
	switch {
	case strings.HasPrefix(l.source[l.at:], "/*"):
		end := strings.Index(l.source[l.at+2:], "*/")
		if end < 0 {
			return StyleUnfinished
		}
		l.skip(end + 4)
		l.add(styleToken{kind: styleSpace})
	case c == ' ' || c == '\t' || c == '\n':
		line := l.line
		for l.at < len(l.source) && strings.IndexByte(" \t\n", l.source[l.at]) >= 0 {
			l.skip(1)
		}
		l.tokens = append(l.tokens, styleToken{kind: styleSpace, line: line})
	case c == '"' || c == '\'':
		return l.quoted(c)
	case l.beginsNumber():
		return l.number()
	case l.beginsName():
		return l.named(styleWord)
	case c == '#' || c == '@':
		l.skip(1)
		if l.at == len(l.source) || !l.continuesName() {
			return StyleUnreadable
		}
		return l.named(map[byte]styleKind{'#': styleHash, '@': styleAt}[c])
	default:
		_, size := utf8.DecodeRuneInString(l.source[l.at:])
		l.add(styleToken{kind: styleMark, text: l.source[l.at : l.at+size]})
		l.skip(size)
	}
	return ""
}

func (l *styleLexer) add(t styleToken) {
	t.line = l.line
	l.tokens = append(l.tokens, t)
}

func (l *styleLexer) skip(bytes int) {
	l.line += strings.Count(l.source[l.at:l.at+bytes], "\n")
	l.at += bytes
}

// quoted reads a string that ends on its line.
func (l *styleLexer) quoted(quote byte) StyleWhy {
	var text strings.Builder
	start := l.at
	for l.at++; l.at < len(l.source); {
		switch c := l.source[l.at]; c {
		case quote:
			l.at++
			l.add(styleToken{kind: styleString, text: text.String()})
			return ""
		case '\n':
			l.at = start
			return StyleUnfinished
		case '\\':
			r, ok := l.escape()
			if !ok {
				return StyleUnreadable
			}
			text.WriteRune(r)
		default:
			text.WriteByte(c)
			l.at++
		}
	}
	l.at = start
	return StyleUnfinished
}

func (l *styleLexer) peek(ahead int) byte {
	if l.at+ahead < len(l.source) {
		return l.source[l.at+ahead]
	}
	return 0
}

func (l *styleLexer) beginsNumber() bool {
	i := 0
	if c := l.peek(0); c == '+' || c == '-' {
		i = 1
	}
	return IsDigit(l.peek(i)) || l.peek(i) == '.' && IsDigit(l.peek(i+1))
}

func (l *styleLexer) beginsName() bool {
	c := l.peek(0)
	if c == '-' {
		c = l.peek(1)
		return IsNameStart(c) || c == '-' || c == '\\'
	}
	return IsNameStart(c) || c == '\\'
}

func (l *styleLexer) continuesName() bool {
	c := l.peek(0)
	return IsNameStart(c) || IsDigit(c) || c == '-' || c == '\\'
}

// number reads a decimal number and its unit.
func (l *styleLexer) number() StyleWhy {
	start := l.at
	if c := l.peek(0); c == '+' || c == '-' {
		l.at++
	}
	for IsDigit(l.peek(0)) {
		l.at++
	}
	if l.peek(0) == '.' && IsDigit(l.peek(1)) {
		for l.at++; IsDigit(l.peek(0)); {
			l.at++
		}
	}
	n, err := strconv.ParseFloat(l.source[start:l.at], 64)
	if err != nil || l.at-start > maxStyleNumber {
		l.at = start
		return StyleUnreadable
	}
	t := styleToken{kind: styleNumber, number: n}
	if l.peek(0) == '%' {
		l.at++
		t.text = "%"
	} else if l.beginsName() {
		unit, why := l.name()
		if why != "" {
			return why
		}
		t.text = strings.ToLower(unit)
	}
	l.add(t)
	return ""
}

// named reads a name as a token of a kind; a word with a bracket right after it is a function.
func (l *styleLexer) named(kind styleKind) StyleWhy {
	name, why := l.name()
	if why != "" {
		return why
	}
	if kind == styleWord && l.peek(0) == '(' {
		l.at++
		kind = styleFunction
	}
	l.add(styleToken{kind: kind, text: name})
	return ""
}

func (l *styleLexer) name() (string, StyleWhy) {
	var name strings.Builder
	for l.at < len(l.source) && l.continuesName() {
		if l.source[l.at] != '\\' {
			name.WriteByte(l.source[l.at])
			l.at++
			continue
		}
		r, ok := l.escape()
		if !ok || r >= utf8.RuneSelf || !IsNameStart(byte(r)) && !IsDigit(byte(r)) && r != '-' {
			return "", StyleUnreadable
		}
		name.WriteRune(r)
	}
	return name.String(), ""
}

// escape reads a backslash and the character that it encodes: up to six hex digits and a space, or any other character.
func (l *styleLexer) escape() (rune, bool) {
	l.at++
	digits := 0
	for digits < 6 && strings.IndexByte("0123456789abcdefABCDEF", l.peek(digits)) >= 0 && l.at+digits < len(l.source) {
		digits++
	}
	if digits == 0 {
		r, size := utf8.DecodeRuneInString(l.source[l.at:])
		if size == 0 || r == '\n' {
			return 0, false
		}
		l.at += size
		return r, true
	}
	n, _ := strconv.ParseUint(l.source[l.at:l.at+digits], 16, 32)
	l.at += digits
	if c := l.peek(0); c == ' ' || c == '\t' || c == '\n' {
		l.skip(1)
	}
	return rune(n), n > 0 && utf8.ValidRune(rune(n))
}

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsNameStart reports whether a name can start with c: an ASCII letter or an underscore.
func IsNameStart(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
