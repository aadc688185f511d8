package components

import (
	"html"

	"github.com/a-h/templ"

	"portico/assets"
	"portico/locale"
)

// Shell is what surrounds every page.
type Shell struct {
	Title       string
	Company     string // the company's name, or the platform's
	Icon        string // the company's own icon, "" for its initial
	Theme       string // six hex digits, "" for the default
	Style       Style
	Panel       bool   // the brand panel beside the form on wide screens
	Wide        bool   // lists and reading: a wider column
	Form        string // id of the form whose fields a language switch must keep; "" switches by link
	Path        string // the page's own path, for language links
	Index       bool   // search engines may keep it
	Mirror      string // JSON for the local-storage mirror, "" for none
	ClearMirror bool   // empty the mirror: signed out
	Toast       string
	SignOut     *SignOut
	Refresh     string // an address to go on to by itself
}

// SignOut is the sign-out button of signed-in pages.
type SignOut struct{ Token string }

// Style is how the sheet comes with a page: inside the first answer to a new visitor, linked for one who
// has it.
type Style struct {
	Inline string // the sheet's text, with the company's colours after it
	Linked bool
	Colour string // the colours alone, where the sheet is linked
}

// StyleFor chooses: linked when the visitor has the present sheet, else inline, the whole sheet or only the
// door's part of it.
func StyleFor(theme string, hasSheet, full bool) Style {
	colour := ThemeStyle(theme)
	switch {
	case hasSheet:
		return Style{Linked: true, Colour: colour}
	case full:
		return Style{Inline: assets.FullStyle() + colour}
	}
	return Style{Inline: assets.DoorStyle() + colour}
}

// Text is the text of the page's style element, which the Content-Security-Policy allows by its hash.
func (s Style) Text() string {
	if s.Linked {
		return s.Colour
	}
	return s.Inline
}

// styleElement prints the style element: our own sheet and hex colours, nothing a company typed.
func styleElement(s Style) templ.Component { return templ.Raw("<style>" + s.Text() + "</style>") }

// symbol prints a drawing of the sprite in line; an unknown name prints nothing.
func symbol(class, name string) templ.Component {
	markup, viewBox, ok := assets.Symbol(name)
	if !ok {
		return templ.NopComponent
	}
	return templ.Raw(`<svg class="` + html.EscapeString(class) + `" viewBox="` + viewBox + `" aria-hidden="true" focusable="false">` + markup + `</svg>`)
}

// Icon prints an icon of 24 by 24.
func Icon(name string) templ.Component { return symbol("icon", name) }

// Drawing prints a full-page line drawing.
func Drawing(name string) templ.Component { return symbol("drawing", name) }

// initial is the letter a company without an icon shows.
func initial(name string) string {
	for _, r := range name {
		return string(r)
	}
	return ""
}

func switchable(l locale.Lang) string { return "?lang=" + string(l) }
