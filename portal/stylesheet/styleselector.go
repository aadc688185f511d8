package stylesheet

import (
	"regexp"
	"slices"
	"strings"
)

// What a selector may name. Elements of the page alone: neither the document nor everything at once.
var (
	styleElements = strings.Fields(
		"body main header nav section aside footer form fieldset legend label input select button a p h1 h2 h3 ul " +
			"ol li div span strong small svg img",
	)
	styleStates = strings.Fields(
		"hover active focus focus-visible focus-within link visited enabled disabled checked first-child " +
			"last-child only-child",
	)
	styleDrawn = strings.Fields("placeholder selection")
	// The states that come and go between pressing and letting go: what changed places then could not be pressed.
	styleMoves = strings.Fields("hover active focus focus-visible focus-within")

	styleName = regexp.MustCompile(`^-?[A-Za-z_][A-Za-z0-9_-]*$`)
)

// styleSafe are the classes of what no sheet changes: what is refused and done, the agreement and the languages, whom
// to call.
var styleSafe = strings.Fields("msg bad foot langs skip toast contact contacts hidden")

// StyleSpares is added to every selector: what it finds is none of that, nor inside of it.
const StyleSpares = `:not(:where(.msg,.msg *,.bad,.bad *,.foot,.foot *,.skip,.toast,.toast *,.contacts,.contacts ` +
	`*,a[href^="tel:"]))`

// splitStyle cuts tokens at a mark; brackets hold none.
func splitStyle(tokens []styleToken, mark string) [][]styleToken {
	var parts [][]styleToken
	start, depth := 0, 0
	for i, t := range tokens {
		switch {
		case t.kind == styleFunction || t.is("("):
			depth++
		case t.is(")"):
			depth--
		case t.is(mark) && depth == 0:
			parts, start = append(parts, trimmed(tokens[start:i])), i+1
		}
	}
	return append(parts, trimmed(tokens[start:]))
}

// styleSelectors are a rule's selectors as they are written.
type styleSelectors struct {
	list   string
	moving bool // one of them is for what one points at, presses or types in
}

// readSelectors reads the list of a rule's selectors.
func readSelectors(tokens []styleToken) (read styleSelectors, why StyleWhy, what string) {
	parts := splitStyle(tokens, ",")
	if len(parts) > maxSelectors {
		return read, StyleSelector, shownStyle(tokens)
	}
	var all []string
	for _, part := range parts {
		s := styleSelector{tokens: part}
		one, why := s.read()
		if why != "" {
			return read, why, shownStyle(part)
		}
		all, read.moving = append(all, one), read.moving || s.moving
	}
	read.list = strings.Join(all, ",")
	return read, "", ""
}

type styleSelector struct {
	tokens []styleToken
	at     int
	moving bool
}

func (s *styleSelector) now() styleToken {
	if s.at < len(s.tokens) {
		return s.tokens[s.at]
	}
	return styleToken{}
}

// read reads compounds with their combinators: "form > .button:hover".
func (s *styleSelector) read() (string, StyleWhy) {
	text := ""
	for n := 0; n < maxCompounds; n++ {
		compound, drawn, why := s.compound()
		if why != "" {
			return "", why
		}
		combinator := s.combinator()
		if s.now().kind == styleEnd && combinator == "" {
			return text + compound + StyleSpares + drawn, ""
		}
		if combinator == "" || drawn != "" {
			return "", StyleSelector
		}
		text += compound + combinator
	}
	return "", StyleSelector
}

func (s *styleSelector) combinator() string {
	combinator := ""
	for ; ; s.at++ {
		switch t := s.now(); {
		case t.kind == styleSpace && combinator == "":
			combinator = " "
		case t.kind == styleSpace:
		case (t.is(">") || t.is("+") || t.is("~")) && strings.TrimSpace(combinator) == "":
			combinator = t.text
		default:
			return combinator
		}
	}
}

// compound reads an element with its classes and states; drawn is a pseudo-element at its end.
func (s *styleSelector) compound() (text, drawn string, why StyleWhy) {
	if t := s.now(); t.kind == styleWord {
		if !slices.Contains(styleElements, t.word()) {
			return "", "", StyleSelector
		}
		text = t.word()
		s.at++
	}
	for drawn == "" {
		switch t := s.now(); {
		case t.is("."):
			s.at++
			if why := s.name("."); why != "" {
				return "", "", why
			}
			text += "." + s.now().text
			s.at++
		case t.kind == styleHash:
			if why := s.name("#"); why != "" {
				return "", "", why
			}
			text += "#" + t.text
			s.at++
		case t.is(":"):
			state, isDrawn := s.state()
			if state == "" {
				return "", "", StyleSelector
			}
			if isDrawn {
				drawn = state
			} else {
				text += state
			}
		case text == "":
			return "", "", StyleSelector
		default:
			return text, "", ""
		}
	}
	if text == "" {
		return "", "", StyleSelector
	}
	return text, drawn, ""
}

// name judges the class or id that comes now.
func (s *styleSelector) name(mark string) StyleWhy {
	t := s.now()
	if mark == "." && t.kind != styleWord || !styleName.MatchString(t.text) {
		return StyleSelector
	}
	if name := t.word(); slices.Contains(styleSafe, name) || strings.HasSuffix(name, "-msg") {
		return StyleProtected
	}
	return ""
}

func (s *styleSelector) state() (text string, drawn bool) {
	s.at++
	colons := ":"
	if s.now().is(":") {
		colons, drawn = "::", true
		s.at++
	}
	t := s.now()
	s.at++
	known := styleStates
	if drawn {
		known = styleDrawn
	}
	if t.kind != styleWord || !slices.Contains(known, t.word()) {
		return "", false
	}
	s.moving = s.moving || !drawn && slices.Contains(styleMoves, t.word())
	return colons + t.word(), drawn
}
