package stylesheet

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// harmlessFunctions are all that a value may call; every other one is taken for a way to load or read something.
var harmlessFunctions = map[string]bool{
	"var": true, "rgb": true, "rgba": true, "hsl": true, "hsla": true, "linear-gradient": true, "radial-gradient": true,
}

// The page's own colours, which a sheet may use and not change.
var styleColours = strings.Fields(
	"--brand --brand-ink --brand-fill --brand-fill-ink --brand-strong --brand-soft " +
		"--page --card --ink --ink-2 --line --edge",
)

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
			return strings.TrimSuffix(function, "a") + "(" + joinComponents(parts) + ")", len(parts) == 3 ||
				len(parts) == 4
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
