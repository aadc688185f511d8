// Package stylesheet checks the style sheets of companies and rewrites what of them may be served.
package stylesheet

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a style sheet of a company's own.
const (
	// MaxStyle is the longest sheet, in bytes.
	MaxStyle = 20 << 10
	// MaxStyleProblems is how many problems of a sheet are reported at once.
	MaxStyleProblems = 5

	maxStyleServed = 96 << 10 // bytes of a sheet as it is served
	maxStyleNumber = 12       // characters of a number
	maxStyleQuote  = 40       // characters of a sheet that a refusal quotes
	maxSelectors   = 20       // of a rule
	maxCompounds   = 8        // of a selector
)

// StyleWhy is the reason why a part of a style sheet is not accepted. Its text is the locale key "style." + the
// constant.
type StyleWhy string

const (
	// StyleTooLong is a sheet over MaxStyle.
	StyleTooLong StyleWhy = "too_long"
	// StyleNotText is a control character or invalid UTF-8.
	StyleNotText StyleWhy = "not_text"
	// StyleUnfinished is a comment, string or block that does not end.
	StyleUnfinished StyleWhy = "unfinished"
	// StyleUnreadable is text that is not CSS.
	StyleUnreadable StyleWhy = "unreadable"
	// StyleAtRule is an at-rule other than @media.
	StyleAtRule StyleWhy = "at_rule"
	// StyleMedia is a media query that is not allowed.
	StyleMedia StyleWhy = "media"
	// StyleNesting is a rule inside of another.
	StyleNesting StyleWhy = "nesting"
	// StyleSelector is a selector that is not allowed.
	StyleSelector StyleWhy = "selector"
	// StyleProtected is a selector of messages, the agreement, the languages or the contacts.
	StyleProtected StyleWhy = "protected"
	// StyleProperty is a property that is not allowed.
	StyleProperty StyleWhy = "property"
	// StyleAddress is a value that could load or read something.
	StyleAddress StyleWhy = "address"
	// StyleValue is a value that is not allowed for its property.
	StyleValue StyleWhy = "value"
	// StyleRange is a number that is too small or too large.
	StyleRange StyleWhy = "range"
	// StyleImportant is a value that is marked !important.
	StyleImportant StyleWhy = "important"
	// StyleMoving is a property that moves an element while it is hovered, pressed or focused.
	StyleMoving StyleWhy = "moving"
)

// TextKey returns the locale key of the reason. Its {what} is StyleProblem.What.
func (w StyleWhy) TextKey() string { return "style." + string(w) }

// StyleProblem is a part of a sheet that is not accepted: its line from 1, why, and the part itself, shortened.
type StyleProblem struct {
	Line int
	Why  StyleWhy
	What string
}

// FilterStyle reads a company's style sheet for its sign-in pages and writes it again from the parsed rules. Only
// listed properties and values are written: colours, type, space and borders. Nothing that could load, read, hide or
// move anything is. A sheet with a problem returns no CSS.
func FilterStyle(source string) (css string, problems []StyleProblem) {
	source = normalStyle(source)
	if len(source) > MaxStyle {
		return "", []StyleProblem{{Why: StyleTooLong}}
	}
	for i, r := range source {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) {
			return "", []StyleProblem{{Line: 1 + strings.Count(source[:i], "\n"), Why: StyleNotText}}
		}
	}
	tokens, problem := lexStyle(source)
	if problem != nil {
		return "", []StyleProblem{*problem}
	}
	f := styleFilter{tokens: tokens}
	f.rules(false)
	if len(f.problems) == 0 && f.out.Len() > maxStyleServed {
		f.refuse(styleToken{}, StyleTooLong, "")
	}
	if len(f.problems) > 0 {
		return "", f.problems
	}
	return f.out.String(), nil
}

// normalStyle has lines end in one way, and no mark of the byte order.
func normalStyle(source string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n").Replace(strings.TrimPrefix(source, "\ufeff"))
}

// TidyStyle returns a sheet as it is stored. Its line numbers are those that were typed.
func TidyStyle(source string) string { return strings.TrimRight(normalStyle(source), " \t\n") }

// styleFilter reads tokens and writes rules.
type styleFilter struct {
	tokens   []styleToken
	at       int
	out      strings.Builder
	moving   bool // the rule is for what one points at, presses or types in
	problems []StyleProblem
}

func (f *styleFilter) refuse(t styleToken, why StyleWhy, what string) {
	if len(f.problems) < MaxStyleProblems {
		f.problems = append(f.problems, StyleProblem{t.line, why, excerpt(what)})
	}
}

// excerpt shortens a part of a sheet to what a line of text can quote.
func excerpt(what string) string {
	what, _, _ = strings.Cut(strings.TrimSpace(what), "\n")
	if runes := []rune(what); len(runes) > maxStyleQuote {
		what = string(runes[:maxStyleQuote]) + "…"
	}
	return what
}

func (f *styleFilter) now() styleToken { return f.tokens[f.at] }

func (f *styleFilter) space() {
	for f.now().kind == styleSpace {
		f.at++
	}
}

// rules reads the rules of a sheet, or those inside of @media up to its end.
func (f *styleFilter) rules(inside bool) {
	for {
		f.space()
		t := f.now()
		switch {
		case t.kind == styleEnd:
			if inside {
				f.refuse(t, StyleUnfinished, "@media")
			}
			return
		case t.is("}") && inside:
			f.at++
			return
		case t.kind == styleAt && t.word() == "media" && !inside:
			f.media()
		case t.kind == styleAt:
			f.refuse(t, StyleAtRule, t.shown())
			f.skipRule()
		default:
			f.rule()
		}
	}
}

// skipRule passes over a rule that was refused: to its semicolon, or to the end of its block.
func (f *styleFilter) skipRule() {
	for depth := 0; f.now().kind != styleEnd; {
		t := f.now()
		if depth == 0 && t.is("}") {
			return
		}
		f.at++
		switch {
		case t.is("{"):
			depth++
		case t.is("}"):
			if depth--; depth == 0 {
				return
			}
		case t.is(";") && depth == 0:
			return
		}
	}
}

// rule reads a selector and its declarations.
func (f *styleFilter) rule() {
	start, first := f.at, f.now()
	for t := f.now(); !t.is("{"); t = f.now() {
		if t.kind == styleEnd || t.is("}") || t.is(";") {
			f.refuse(first, StyleUnreadable, shownStyle(f.tokens[start:f.at+1]))
			f.at++
			if t.kind == styleEnd {
				f.at--
			}
			return
		}
		f.at++
	}
	read, why, what := readSelectors(f.tokens[start:f.at])
	if why != "" {
		f.refuse(first, why, what)
	}
	f.moving = read.moving
	f.out.WriteString(read.list + "{")
	f.at++
	f.declarations()
	f.out.WriteString("}")
}

// declarations reads the declarations between the braces of a rule.
func (f *styleFilter) declarations() {
	for {
		f.space()
		t := f.now()
		switch {
		case t.kind == styleEnd:
			f.refuse(t, StyleUnfinished, "{")
			return
		case t.is("}"):
			f.at++
			return
		case t.is(";"):
			f.at++
		case t.kind == styleWord:
			f.declaration()
		default:
			f.refuse(t, StyleNesting, t.shown())
			f.skipRule()
		}
	}
}

// declaration reads a property and its value.
func (f *styleFilter) declaration() {
	property := f.now()
	f.at++
	f.space()
	if !f.now().is(":") {
		f.refuse(property, f.unlike(), property.text)
		f.skipRule()
		return
	}
	f.at++
	start, depth := f.at, 0
	for t := f.now(); ; t = f.now() {
		if t.kind == styleEnd || depth == 0 && (t.is(";") || t.is("}")) {
			break
		}
		switch {
		case t.is("{"):
			f.refuse(property, StyleNesting, property.text)
			f.skipRule()
			return
		case t.kind == styleFunction || t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		f.at++
	}
	f.declare(property, trimmed(f.tokens[start:f.at]))
}

// unlike names the problem of text that is not a declaration: a rule inside of another, or something unknown.
func (f *styleFilter) unlike() StyleWhy {
	for _, t := range f.tokens[f.at:] {
		switch {
		case t.is("{"):
			return StyleNesting
		case t.is(";") || t.is("}"):
			return StyleUnreadable
		}
	}
	return StyleUnreadable
}

// declare judges a property with its value, and writes it.
func (f *styleFilter) declare(property styleToken, value []styleToken) {
	name := property.word()
	whole := name + ": " + shownStyle(value)
	for i, t := range value {
		switch {
		case t.kind == styleFunction && !harmlessFunctions[t.word()]:
			f.refuse(t, StyleAddress, t.shown())
			return
		case t.is("!"):
			f.refuse(t, StyleImportant, shownStyle(value[i:]))
			return
		}
	}
	read, known := styleProperties[name]
	if !known {
		f.refuse(property, StyleProperty, name)
		return
	}
	if f.moving && !stylePaint[name] {
		f.refuse(property, StyleMoving, whole)
		return
	}
	v := styleValue{tokens: value, why: StyleValue}
	text, ok := v.whole(read)
	if !ok {
		f.refuse(property, v.why, whole)
		return
	}
	f.out.WriteString(name + ":" + text + ";")
}

func trimmed(tokens []styleToken) []styleToken {
	for len(tokens) > 0 && tokens[0].kind == styleSpace {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].kind == styleSpace {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

// shownStyle is a run of tokens as a refusal quotes it.
func shownStyle(tokens []styleToken) string {
	var b strings.Builder
	for _, t := range tokens {
		if b.Len() > 4*maxStyleQuote {
			break
		}
		b.WriteString(t.shown())
	}
	return b.String()
}
