package components

import (
	"context"
	"encoding/json"
	"html"
	"slices"
	"strings"
	"unicode"

	"github.com/a-h/templ"

	"portico/assets"
	"portico/components/product"
	"portico/locale"
)

// Shell is the frame of every page: head, header, menu and footer.
type Shell struct {
	Title       string
	Company     string // the company's name, or the platform's
	Icon        string // the company's own icon, "" for its initial
	Greeting    string // the company's own greeting on its panel, "" for the general one
	Welcome     string // path of the company's picture on its panel, "" for none
	Phone       string // number to call about the company's orders, on its panel, "" for none
	Theme       string // six hex digits, "" for the default
	Style       Style
	Marks       string    // rules of MarkStyle for the companies on the page, which Render adds to Style
	Panel       bool      // the brand panel beside the form on wide screens
	DemoLinks   bool      // the panel leads into the demo of each trade; phones show this below the form
	Wide        bool      // a wider column, for lists and long texts
	Chooser     bool      // a choice of companies, of accounts or of a company's sides
	State       bool      // the whole page is a state, see StatePage
	Brief       bool      // the state is a few words: its picture is larger
	Form        string    // id of the form whose fields a language switch must keep; "" switches by link
	Path        string    // the page's own path, for language links
	Query       string    // the page's own query, which language links keep
	Index       bool      // search engines may index the page
	Mirror      string    // JSON that a script copies to the local storage, "" for none
	Metadata    *Metadata // for search engines and previews of shared links, nil for none
	ClearMirror bool      // a script removes that JSON, after signing out
	Toast       string
	ToastLong   bool            // the toast is shown for longer: a failure, a number
	Platform    bool            // the page is the platform's own: it wears the arch instead of a company's mark
	Account     *AccountMenu    // the menu of a signed-in person, nil for nobody
	PlainPath   string          // path that replaces an address with a code in it, "" to keep the address
	Refresh     string          // URL to which the page redirects by itself, "" for none
	Menu        templ.Component // the menu of a landing site, beside the page, and below it on phones
	Footnote    templ.Component // below everything else of the page, nil for none
	Renewed     templ.Component // what a Fragment renews of the menu, nil for nothing
	OwnStyle    string          // URL of the company's own style sheet, on its sign-in pages
	Report      ViewReport      // how the browser reports this view to the company's statistics
	Viewport    int             // width in pixels that the page is laid out for, 0 for the screen's
	Inert       bool            // the page is a preview: its forms send nothing
	Failed      bool            // the page is an error page
	Offline     bool            // islands/page/offline.ts shows when there is no connection, and holds forms back
	Native      *Native         // the app that wraps the page, nil in browsers
}

// htmxConfig are the settings of htmx on the landing sites: no data- prefix, no style sheet of its own, no transitions,
// which would set style attributes, 30 s for an answer, and marks of scripts that stay when a part of the page is
// renewed.
const htmxConfig = `{"prefix":"","includeIndicatorCSS":false,"defaultSettleDelay":0,"defaultTimeout":30000,` +
	`"morphIgnore":["data-htmx-powered","data-ready"]}`

// plainPath replaces the address by its path, before anything else of the page is loaded. It also tells the server that
// the browser received the page, so that from then on nobody else can use the code of the address. It is the only
// script inside a page: browsers without scripts load the path anew.
const plainPath = "history.replaceState(null,'',location.pathname);" +
	"addEventListener('load',()=>fetch('" + ReceivedPath + "'))"

// ReceivedPath is where a page reports that the browser received it, on the landing sites.
const ReceivedPath = "/received"

// PlainPathScript is the element with plainPath, and PlainPathHash allows it in a Content-Security-Policy.
const PlainPathScript = "<script>" + plainPath + "</script>"

// PlainPathHash is a source expression of script-src.
var PlainPathHash = assets.CSPHash(plainPath)

// ViewReport is the request that reports a view of a page: a picture at URL, or a POST of Body that a script sends. URL
// is "" for none. Origin is the scheme and host of URL.
type ViewReport struct{ URL, Body, Origin string }

// reportStyle takes the picture out of the layout but keeps it in the viewport, because browsers load a lazy picture
// only there.
const reportStyle = ".report{position:fixed;top:0;left:0;opacity:0;pointer-events:none}"

// SetReport makes the page report its view.
func (s *Shell) SetReport(report ViewReport) {
	s.Report = report
	if report.URL != "" && report.Body == "" {
		s.Style.Inline += reportStyle
	}
}

// reportProps returns the report as JSON for islands/page/report.ts.
func (s Shell) reportProps() string {
	props, _ := json.Marshal(map[string]string{"url": s.Report.URL, "body": s.Report.Body})
	return string(props)
}

// pageIcon returns the URL of the icon that the browser shows beside the title: the company's own, else the platform's
// in the company's colour.
func (s Shell) pageIcon() string {
	if s.Icon != "" {
		return s.Icon
	}
	return assets.Favicon(ThemeColor(s.Theme))
}

// description returns the sentence that search engines show for the page.
func (s Shell) description(ctx context.Context) string {
	if s.Metadata != nil {
		return s.Metadata.Description
	}
	return locale.T(ctx, "description")
}

// AccountMenu is the menu of a signed-in person in the header: who it is, the way to their other accounts and to what
// keeps the account safe, and the button that signs out.
type AccountMenu struct {
	Who      string // the person's name, masked phone or account name, "" when the page does not know it
	Token    string // for the form that signs out
	Accounts string // the address of the list of accounts
	Security string // the address of the security page
	Profile  string // the address of the profile, "" for none
}

// initial returns the letter that stands for the person, "" when Who begins with something else: a number.
func (a AccountMenu) initial() string {
	if first := product.Initial(a.Who); first != "" && unicode.IsLetter([]rune(first)[0]) {
		return strings.ToUpper(first)
	}
	return ""
}

// Style says how a page gets its style sheets. A new visitor's first page contains them; later pages link them, because
// the browser has them.
type Style struct {
	Part Part
	// content of the style element: the sheets that the browser does not have, and the company's colours
	Inline   string
	Linked   []string // URLs of the sheets that the browser has
	Prefetch []string // URLs of the sheets in Inline, to load for the next page
	Gives    string   // new value of the cookie that says which sheets the browser has, "" for no change
}

// Part says which of the style sheets a page needs.
type Part int

// The parts, by the sheets that their pages have.
const (
	PartSignIn   Part = iota // what a sign-in page needs for its first paint
	PartAccount              // the sheet of the account site
	PartFlows                // that of the account site, and that of the pages on the way to an account
	PartLanding              // the sheet of the landing sites
	PartRecords              // that of the landing sites, and that of the shop's pages but its first
	PartOverview             // that of the landing sites, and that of the overview of the back office
	PartOffice               // that of the landing sites, and that of the back office; both by links
)

// Sheets says which current sheets the browser has.
type Sheets struct{ Account, Flows, Landing bool }

// SheetsOf reads the cookie that says which sheets the browser has: their versions, with dots between.
func SheetsOf(cookie string) Sheets {
	has := strings.Split(cookie, ".")
	return Sheets{
		slices.Contains(has, assets.AccountVersion),
		slices.Contains(has, assets.FlowsVersion),
		slices.Contains(has, assets.LandingVersion),
	}
}

// cookie returns the value of the cookie for a browser that has these sheets.
func (h Sheets) cookie() string {
	var has []string
	if h.Account {
		has = append(has, assets.AccountVersion)
	}
	if h.Flows {
		has = append(has, assets.FlowsVersion)
	}
	if h.Landing {
		has = append(has, assets.LandingVersion)
	}
	return strings.Join(has, ".")
}

// StyleFor returns the style of a page: it links the sheets that the browser has, and contains the others as far as the
// page needs them. The pages of the back office contain none: a page that contains a sheet makes the browser load it
// twice, with the page and for the next ones. Staff come from a sign-in page, where the first paint matters, and stay.
func StyleFor(theme string, has Sheets, part Part) Style {
	s := Style{Part: part}
	had := has
	switch part {
	case PartSignIn:
		s.add(assets.AccountURL, assets.SignInStyle(), has.Account)
		has.Account = true
	case PartAccount, PartFlows:
		s.add(assets.AccountURL, assets.AccountStyle(), has.Account)
		has.Account = true
	default:
		s.add(assets.LandingURL, assets.LandingStyle(), has.Landing || part == PartOffice)
		has.Landing = true
	}
	switch part {
	case PartFlows:
		s.add(assets.FlowsURL, assets.FlowsStyle(), has.Flows)
		has.Flows = true
	case PartRecords:
		s.add(assets.RecordsURL, "", true)
	case PartOverview:
		s.add(assets.OverviewURL, assets.OverviewStyle(), had.Landing)
	case PartOffice:
		s.add(assets.OfficeURL, "", true)
	}
	if has != had {
		s.Gives = has.cookie()
	}
	s.Inline += ThemeStyle(theme)
	return s
}

// add adds a sheet: by a link if the browser has it, else inside the page, with a prefetch for the next page.
func (s *Style) add(address, sheet string, link bool) {
	if link {
		s.Linked = append(s.Linked, address)
		return
	}
	s.Inline, s.Prefetch = s.Inline+sheet, append(s.Prefetch, address)
}

// styleElement prints the style element without escaping. It contains our own sheets, hex colours, and in a preview the
// output of the style-sheet filter, which has no "<".
func styleElement(s Style) templ.Component { return templ.Raw("<style>" + s.Inline + "</style>") }

// symbol prints a drawing of the sprites as inline SVG, and nothing for an unknown name.
func symbol(class, name string) templ.Component {
	markup, viewBox, ok := assets.Symbol(name)
	if !ok {
		return templ.NopComponent
	}
	return templ.Raw(`<svg class="` + html.EscapeString(class) + `" viewBox="` + viewBox +
		`" aria-hidden="true" focusable="false">` + markup + `</svg>`)
}

// Icon prints an icon of 24 × 24 units.
func Icon(name string) templ.Component { return symbol("icon", name) }

// AppMark prints the mark of a chat app, "wechat" or "work-chat", in the app's colour.
func AppMark(app string) templ.Component { return symbol("icon "+app, app+"-mark") }

// Drawing prints a full-page line drawing.
func Drawing(name string) templ.Component { return symbol("drawing", name) }

// Arch prints the platform's logo.
func Arch() templ.Component {
	return templ.Raw(
		`<svg class="arch" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d="` + assets.Arch +
			`"/></svg>`,
	)
}

// photo reports whether the panel is filled by the company's own picture.
func (s Shell) photo() bool { return !s.Platform && s.Welcome != "" }

// hasShop reports whether the panel shows the shop of the company whose page it is.
func (s Shell) hasShop() bool { return s.Panel && !s.Platform && !s.photo() }

// isWashed reports whether there is a wash of colour behind the page: behind a company's pages and those with a single
// card, unless they have a sky. A company's own style sheet decides about that itself.
func (s Shell) isWashed() bool {
	company := !s.Platform && s.Account == nil
	return (company || !s.Wide) && s.Menu == nil && s.OwnStyle == "" && !s.State
}

// hasSky reports whether there are sky and pavement behind the top of the page. A company's own style sheet decides
// about that itself.
func (s Shell) hasSky() bool { return s.State && s.Menu == nil && s.OwnStyle == "" }

// bodyClass is the class of the whole page, which style sheets ask for.
func (s Shell) bodyClass() string {
	switch {
	case s.Menu != nil:
		return "wide land"
	case s.Chooser:
		return "wide chooser"
	case s.Wide:
		return "wide"
	case s.State && s.Brief:
		return "stated brief"
	case s.State:
		return "stated"
	}
	return ""
}

// Shop draws a company's shop, in the colours of the element that it stands in. icon is the path of the company's own
// icon, "" for its initial. shut lowers the shutters.
func Shop(name, icon string, shut bool) templ.Component {
	return product.House(product.FrontOf("", name, ImageURL(icon), shut))
}

// Office draws a company's office, as Shop does its shop.
func Office(name, icon string, shut bool) templ.Component {
	front := product.FrontOf("", name, ImageURL(icon), shut)
	front.Office = true
	return product.House(front)
}

// hasLanguageMenu reports whether phones have the languages at the top of the page instead of at its end. The account
// menu has them for signed-in people. A company's own style sheet cannot hide those at the end.
func (s Shell) hasLanguageMenu() bool { return s.Account == nil && s.Menu == nil && s.OwnStyle == "" }

// inLang returns the address of the page in another language.
func (s Shell) inLang(l locale.Lang) string {
	if s.Query != "" {
		return s.Path + "?" + s.Query + "&lang=" + string(l)
	}
	return s.Path + "?lang=" + string(l)
}
