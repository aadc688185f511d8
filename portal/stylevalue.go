package portal

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// styleValue reads a value piece by piece. why says what is wrong with one that does not fit.
type styleValue struct {
	tokens []styleToken
	at     int
	why    StyleWhy
}

// styleReader reads a whole value and gives it as it is written, or says that it does not fit.
type styleReader func(v *styleValue) (string, bool)

func (v *styleValue) whole(read styleReader) (string, bool) {
	text, ok := read(v)
	return text, ok && v.done()
}

func (v *styleValue) space() {
	for v.at < len(v.tokens) && v.tokens[v.at].kind == styleSpace {
		v.at++
	}
}

func (v *styleValue) done() bool {
	v.space()
	return v.at == len(v.tokens)
}

// peek is the token that comes next, past space.
func (v *styleValue) peek() styleToken {
	if v.done() {
		return styleToken{}
	}
	return v.tokens[v.at]
}

func (v *styleValue) take() styleToken {
	t := v.peek()
	if t.kind != styleEnd {
		v.at++
	}
	return t
}

// try reads a piece, or stays where it was.
func (v *styleValue) try(read styleReader) (string, bool) {
	at := v.at
	text, ok := read(v)
	if !ok {
		v.at = at
	}
	return text, ok
}

// either reads the first that fits.
func either(readers ...styleReader) styleReader {
	return func(v *styleValue) (string, bool) {
		for _, read := range readers {
			if text, ok := v.try(read); ok {
				return text, true
			}
		}
		return "", false
	}
}

// several reads a piece one to so many times, with a mark between: " " or ",".
func several(read styleReader, most int, between string) styleReader {
	return func(v *styleValue) (string, bool) {
		var all []string
		for {
			text, ok := v.try(read)
			if !ok || len(all) == most {
				return "", false
			}
			all = append(all, text)
			if v.done() || between == "," && !v.peek().is(",") {
				return strings.Join(all, between), true
			}
			if between == "," {
				v.take()
			}
		}
	}
}

// mixed reads each of the pieces at most once, in any order.
func mixed(readers ...styleReader) styleReader {
	return func(v *styleValue) (string, bool) {
		left, all := slices.Clone(readers), []string(nil)
		for !v.done() {
			found := false
			for i, read := range left {
				if text, ok := v.try(read); ok {
					all, left, found = append(all, text), slices.Delete(left, i, i+1), true
					break
				}
			}
			if !found {
				return "", false
			}
		}
		return strings.Join(all, " "), len(all) > 0
	}
}

// words reads one keyword of these.
func words(list string) styleReader {
	known := strings.Fields(list)
	return func(v *styleValue) (string, bool) {
		t := v.take()
		return t.word(), t.kind == styleWord && slices.Contains(known, t.word())
	}
}

// numbers reads a number without unit between two, of so many steps a unit.
func numbers(least, most float64) styleReader {
	return func(v *styleValue) (string, bool) {
		t := v.take()
		if t.kind != styleNumber || t.text != "" {
			return "", false
		}
		if t.number < least || t.number > most {
			v.why = StyleRange
			return "", false
		}
		return t.shown(), true
	}
}

// pixels is how many px a unit has at the size of text that pages have.
var pixels = map[string]float64{"px": 1, "rem": 16, "em": 16}

// lengths reads a length between two, in px; units names those that are taken.
func lengths(least, most float64, units string) styleReader {
	taken := strings.Fields(units)
	return func(v *styleValue) (string, bool) {
		t := v.take()
		if t.kind != styleNumber || t.text == "" && t.number != 0 || t.text != "" && !slices.Contains(taken, t.text) {
			return "", false
		}
		if px := t.number * pixels[t.text]; t.text != "%" && (px < least || px > most) || t.text == "%" && (t.number < 0 || t.number > 100) {
			v.why = StyleRange
			return "", false
		}
		return t.shown(), true
	}
}

// harmlessFunctions are all that a value may call; every other one is taken for a way to load or read something.
var harmlessFunctions = map[string]bool{
	"var": true, "rgb": true, "rgba": true, "hsl": true, "hsla": true, "linear-gradient": true, "radial-gradient": true,
}

// The page's own colours, which a sheet may use and not change.
var styleColours = strings.Fields("--brand --brand-ink --brand-strong --brand-soft --page --card --ink --ink-2 --line --edge")

var hexColour = regexp.MustCompile(`^(?:[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$`)

// anyColour reads a colour; opaqueColour one that can be seen.
func anyColour(v *styleValue) (string, bool) { return v.colour(false) }

func opaqueColour(v *styleValue) (string, bool) { return v.colour(true) }

func (v *styleValue) colour(opaque bool) (string, bool) {
	t := v.take()
	name := t.word()
	switch {
	case t.kind == styleHash && hexColour.MatchString(name):
		if alpha := len(name) % 4; opaque && alpha == 0 && strings.Trim(name[len(name)-len(name)/4:], "f") != "" {
			v.why = StyleRange
			return "", false
		}
		return "#" + name, true
	case t.kind == styleWord && name == "transparent":
		if opaque {
			v.why = StyleRange
		}
		return name, !opaque
	case t.kind == styleWord && (name == "currentcolor" || namedColours[name]):
		return name, true
	case t.kind == styleFunction && name == "var":
		named, end := v.take(), v.take()
		return "var(" + named.text + ")", slices.Contains(styleColours, named.text) && end.is(")")
	case t.kind == styleFunction && (strings.HasPrefix(name, "rgb") || strings.HasPrefix(name, "hsl")):
		return v.components(name, opaque)
	}
	return "", false
}

// components reads what is inside of rgb() and hsl(), with commas or without.
func (v *styleValue) components(function string, opaque bool) (string, bool) {
	var parts []string
	hsl := strings.HasPrefix(function, "hsl")
	for {
		t := v.take()
		angle := hsl && len(parts) == 0 && (t.text == "deg" || t.text == "")
		if t.kind != styleNumber || t.text != "" && t.text != "%" && !angle || math.Abs(t.number) > 1000 {
			return "", false
		}
		if opaque && len(parts) == 3 && (t.text == "" && t.number < 1 || t.text == "%" && t.number < 100) {
			v.why = StyleRange
			return "", false
		}
		parts = append(parts, t.shown())
		switch end := v.peek(); {
		case end.is(")"):
			v.take()
			return strings.TrimSuffix(function, "a") + "(" + joinComponents(parts) + ")", len(parts) == 3 || len(parts) == 4
		case end.is(",") || end.is("/") && len(parts) == 3:
			v.take()
		}
		if len(parts) == 4 {
			return "", false
		}
	}
}

func joinComponents(parts []string) string {
	if len(parts) == 4 {
		return strings.Join(parts[:3], " ") + "/" + parts[3]
	}
	return strings.Join(parts, " ")
}

var (
	gradientSides = strings.Fields("top bottom left right")
	gradientStop  = lengths(0, 4000, "px rem em %")
)

// gradient reads linear-gradient() and radial-gradient() of colours.
func gradient(v *styleValue) (string, bool) {
	t := v.take()
	function := t.word()
	if t.kind != styleFunction || function != "linear-gradient" && function != "radial-gradient" {
		return "", false
	}
	var parts []string
	if way, ok := v.try(gradientWay(function)); ok {
		if !v.take().is(",") {
			return "", false
		}
		parts = append(parts, way)
	}
	for stops := 0; stops < maxSelectors; stops++ {
		stop, ok := v.try(anyColour)
		if !ok {
			return "", false
		}
		for range 2 {
			if place, ok := v.try(gradientStop); ok {
				stop += " " + place
			}
		}
		parts = append(parts, stop)
		switch end := v.take(); {
		case end.is(")"):
			return function + "(" + strings.Join(parts, ",") + ")", stops > 0
		case !end.is(","):
			return "", false
		}
	}
	return "", false
}

// gradientWay reads where a gradient goes: an angle, "to" with sides, or a shape with a place.
func gradientWay(function string) styleReader {
	return func(v *styleValue) (string, bool) {
		t := v.take()
		switch {
		case function == "radial-gradient":
			if t.kind != styleWord || t.word() != "circle" && t.word() != "ellipse" {
				return "", false
			}
			text := t.word()
			if v.peek().is(",") {
				return text, true
			}
			if at := v.take(); at.kind != styleWord || at.word() != "at" {
				return "", false
			}
			return v.place(text + " at")
		case t.kind == styleNumber && (t.text == "deg" || t.text == "turn"):
			return t.shown(), math.Abs(t.number) <= 3600
		case t.kind == styleWord && t.word() == "to":
			text := "to"
			for range 2 {
				if side := v.peek(); side.kind == styleWord && slices.Contains(gradientSides, side.word()) {
					text += " " + v.take().word()
				}
			}
			return text, text != "to"
		}
		return "", false
	}
}

// place reads one or two places of a centre.
func (v *styleValue) place(text string) (string, bool) {
	one := either(words("center top bottom left right"), lengths(0, 4000, "px rem %"))
	for n := range 2 {
		place, ok := v.try(one)
		if !ok {
			return text, n > 0
		}
		text += " " + place
	}
	return text, true
}

// shadow reads "inset 0 2px 8px 1px colour".
func shadow(v *styleValue) (string, bool) {
	var text []string
	inset, isInset := v.try(words("inset"))
	if isInset {
		text = append(text, inset)
	}
	colour, first := v.try(anyColour)
	for n, limit := range [][2]float64{{-24, 24}, {-24, 24}, {0, 64}, {-16, 16}} {
		length, ok := v.try(lengths(limit[0], limit[1], "px rem em"))
		if !ok && n < 2 {
			return "", false
		}
		if !ok {
			break
		}
		text = append(text, length)
	}
	if !first {
		var ok bool
		if colour, ok = v.try(anyColour); !ok {
			return "", false
		}
	}
	return strings.Join(append(text, colour), " "), true
}

var genericFamilies = strings.Fields("system-ui sans-serif serif monospace ui-sans-serif ui-serif ui-monospace ui-rounded cursive -apple-system blinkmacsystemfont")

// family reads the name of a font that the reader's machine may have.
func family(v *styleValue) (string, bool) {
	t := v.take()
	if t.kind == styleString {
		for _, r := range t.text {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ' ' && r != '-' && r != '_' && r != '.' {
				return "", false
			}
		}
		return strconv.Quote(t.text), t.text != ""
	}
	if t.kind == styleWord && slices.Contains(genericFamilies, t.word()) {
		return t.word(), true
	}
	name := t.text
	for t.kind == styleWord && v.peek().kind == styleWord {
		name += " " + v.take().text
	}
	return `"` + name + `"`, t.kind == styleWord
}

// background reads colours and gradients, one over the other.
func background(v *styleValue) (string, bool) {
	if none, ok := v.try(words("none")); ok {
		return none, true
	}
	return several(either(gradient, anyColour), 4, ",")(v)
}
