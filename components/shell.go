package components

import (
	"context"
	"encoding/json"
	"html"
	"strings"

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
	Panel       bool      // the brand panel beside the form on wide screens
	Wide        bool      // lists and reading: a wider column
	Form        string    // id of the form whose fields a language switch must keep; "" switches by link
	Path        string    // the page's own path, for language links
	Query       string    // what names the page beside its path, kept by language links
	Index       bool      // search engines may keep it
	Mirror      string    // JSON for the local-storage mirror, "" for none
	Metadata    *Metadata // what search engines and previews of shared links are told, nil for nothing
	ClearMirror bool      // empty the mirror: signed out
	Toast       string
	ToastLong   bool // it takes longer to read, or is worth it: a failure, a number
	SignOut     *SignOut
	Refresh     string          // an address to go on to by itself
	Menu        templ.Component // of a landing site: beside the page, below it on phones
	OwnStyle    string          // address of the company's own sheet, on its sign-in pages
	Report      ViewReport      // how the browser reports this view to the company's statistics
	Viewport    int             // width in pixels that the page is laid out for, 0 for the screen's
	Inert       bool            // forms send nothing: a preview
	Failed      bool            // the page says what failed
	Offline     bool            // islands/page/offline.ts says when the connection is gone, and holds forms
	Native      *Native         // the app that wraps the page, nil in browsers
}

// ViewReport is the request that reports a view of a page: a picture at URL, or a POST of Body that a script sends. URL
// is "" for none. Origin is the scheme and host of URL.
type ViewReport struct{ URL, Body, Origin string }

// reportStyle takes the picture out of the layout and keeps it in view, as browsers load a lazy picture only there.
const reportStyle = ".report{position:fixed;top:0;left:0;opacity:0;pointer-events:none}"

// SetReport makes the page report its view.
func (s *Shell) SetReport(report ViewReport) {
	s.Report = report
	if report.URL != "" && report.Body == "" {
		s.Style.Inline += reportStyle
	}
}

// reportProps is the report as islands/page/report.ts reads it.
func (s Shell) reportProps() string {
	props, _ := json.Marshal(map[string]string{"url": s.Report.URL, "body": s.Report.Body})
	return string(props)
}

// pageIcon is the address of the icon that the browser shows beside the title: the company's own, else the platform's
// in the company's colour.
func (s Shell) pageIcon() string {
	if s.Icon != "" {
		return s.Icon
	}
	return assets.Favicon(ThemeColor(s.Theme))
}

// description is the sentence by which search engines show the page.
func (s Shell) description(ctx context.Context) string {
	if s.Metadata != nil {
		return s.Metadata.Description
	}
	return locale.T(ctx, "description")
}

// SignOut is the sign-out button of signed-in pages.
type SignOut struct{ Token string }

// Style is how the sheets come with a page: inside the first answer to a new visitor, linked for one who has them.
type Style struct {
	Inline   string   // the text of the style element: what the visitor has not, and the company's colours
	Linked   []string // addresses of the sheets that the visitor has
	Prefetch []string // and of those that come inside this answer
	Gives    string   // what the visitor's cookie says from now on, "" for no change
}

// Part is how much of the styles a page needs.
type Part int

// The parts, each with those before it.
const (
	PartDoor   Part = iota // what a sign-in page needs at once
	PartInside             // the sheet of every page
	PartMore               // what registering and the landing sites need beside it
)

// Sheets are the sheets a visitor has.
type Sheets struct{ Inside, More bool }

// SheetsOf reads the cookie that says so.
func SheetsOf(cookie string) Sheets {
	inside, more, _ := strings.Cut(cookie, ".")
	return Sheets{inside == assets.SheetVersion, more == assets.MoreVersion}
}

// StyleFor chooses: linked when the visitor has the present sheet, else inline, as far as the page needs it.
func StyleFor(theme string, has Sheets, part Part) Style {
	var s Style
	switch {
	case has.Inside:
		s.Linked = append(s.Linked, assets.SheetURL)
	case part == PartDoor:
		s.Inline, s.Prefetch = assets.DoorStyle(), append(s.Prefetch, assets.SheetURL)
	default:
		s.Inline, s.Prefetch = assets.FullStyle(), append(s.Prefetch, assets.SheetURL)
	}
	switch {
	case part != PartMore:
	case has.More:
		s.Linked = append(s.Linked, assets.MoreURL)
	default:
		s.Inline, s.Prefetch = s.Inline+assets.MoreStyle(), append(s.Prefetch, assets.MoreURL)
	}
	if len(s.Prefetch) > 0 {
		s.Gives = assets.SheetVersion
		if has.More || part == PartMore {
			s.Gives += "." + assets.MoreVersion
		}
	}
	s.Inline += ThemeStyle(theme)
	return s
}

// styleElement prints the style element: our own sheets, hex colours, and in a preview what the filter of companies' sheets wrote,
// which has no "<".
func styleElement(s Style) templ.Component { return templ.Raw("<style>" + s.Inline + "</style>") }

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

func (s Shell) inLang(l locale.Lang) string {
	if s.Query != "" {
		return s.Path + "?" + s.Query + "&lang=" + string(l)
	}
	return s.Path + "?lang=" + string(l)
}
