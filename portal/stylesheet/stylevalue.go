package stylesheet

import (
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
					all = append(all, text)
					left = slices.Delete(left, i, i+1)
					found = true
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

// largestType is the largest size of type that a sheet can ask for, in px: what an em is at most.
const largestType = 48

// lengths reads a length between two, in px; units names those that are taken. An em that would be more, or less, in
// large type is held there.
func lengths(least, most float64, units string) styleReader {
	taken := strings.Fields(units)
	return func(v *styleValue) (string, bool) {
		t := v.take()
		if t.kind != styleNumber || t.text == "" && t.number != 0 || t.text != "" && !slices.Contains(taken, t.text) {
			return "", false
		}
		if px := t.number * pixels[t.text]; t.text != "%" && (px < least || px > most) || t.text == "%" &&
			(t.number < 0 || t.number > 100) {
			v.why = StyleRange
			return "", false
		}
		if px := t.number * largestType; t.text == "em" && (px < least || px > most) {
			return "clamp(" + shownNumber(least) + "px," + t.shown() + "," + shownNumber(most) + "px)", true
		}
		return t.shown(), true
	}
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

var genericFamilies = strings.Fields(
	"system-ui sans-serif serif monospace ui-sans-serif ui-serif ui-monospace ui-rounded cursive -apple-system " +
		"blinkmacsystemfont",
)

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
