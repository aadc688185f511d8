package stylesheet

import (
	"slices"
	"strings"
)

// styleMedia are the questions a sheet may ask of a screen, with their answers; those without take a length.
var styleMedia = map[string][]string{
	"min-width": nil, "max-width": nil, "min-height": nil, "max-height": nil,
	"prefers-color-scheme": {"light", "dark"}, "prefers-contrast": {"more", "less", "no-preference"},
	"prefers-reduced-motion": {"reduce", "no-preference"}, "forced-colors": {"active", "none"},
	"orientation": {"portrait", "landscape"}, "hover": {"hover", "none"},
}

// media reads an @media and the rules inside of it.
func (f *styleFilter) media() {
	begin := f.now()
	f.at++
	start := f.at
	for t := f.now(); !t.is("{"); t = f.now() {
		if t.kind == styleEnd || t.is(";") || t.is("}") {
			f.refuse(begin, StyleUnfinished, "@media")
			if t.kind != styleEnd {
				f.at++
			}
			return
		}
		f.at++
	}
	asked, ok := readMedia(f.tokens[start:f.at])
	if !ok {
		f.refuse(begin, StyleMedia, "@media"+shownStyle(f.tokens[start:f.at]))
	}
	f.out.WriteString("@media " + asked + "{")
	f.at++
	f.rules(true)
	f.out.WriteString("}")
}

// readMedia reads the list of an @media: "screen and (min-width: 900px), (orientation: landscape)".
func readMedia(tokens []styleToken) (string, bool) {
	var queries []string
	for _, query := range splitStyle(tokens, ",") {
		v := styleValue{tokens: query}
		var parts []string
		for {
			part, ok := v.mediaPart(len(parts) == 0)
			if !ok {
				return "", false
			}
			parts = append(parts, part)
			if v.done() {
				break
			}
			if t := v.take(); t.kind != styleWord || t.word() != "and" {
				return "", false
			}
		}
		queries = append(queries, strings.Join(parts, " and "))
	}
	return strings.Join(queries, ","), len(queries) <= maxSelectors
}

// mediaPart is one question in brackets; the first may be a kind of medium.
func (v *styleValue) mediaPart(first bool) (string, bool) {
	t := v.take()
	if first && t.kind == styleWord && slices.Contains([]string{"all", "screen", "print"}, t.word()) {
		return t.word(), true
	}
	name, colon := v.take(), v.take()
	answers, known := styleMedia[name.word()]
	if !t.is("(") || name.kind != styleWord || !known || !colon.is(":") {
		return "", false
	}
	var answer string
	if value := v.take(); answers == nil {
		if value.kind != styleNumber || value.number < 0 || value.number > 10000 ||
			!slices.Contains([]string{"px", "em", "rem"}, value.text) {
			return "", false
		}
		answer = value.shown()
	} else if answer = value.word(); value.kind != styleWord || !slices.Contains(answers, answer) {
		return "", false
	}
	return "(" + name.word() + ":" + answer + ")", v.take().is(")")
}
