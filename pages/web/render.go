package web

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/klauspost/compress/gzip"

	"portico/assets"
	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/pictures"
)

// HTMLType is the Content-Type of a page.
const HTMLType = "text/html; charset=utf-8"

// Shell returns the frame of a page for this visitor: company, colours, language switch and style sheet. full is true
// when the page needs the whole style sheet at once.
func (p *Web) Shell(r *http.Request, title string, full bool) components.Shell {
	ctx := r.Context()
	s := components.Shell{Title: title, Company: locale.T(ctx, "platform"), Path: r.URL.Path}
	s.Platform = PlaceOf(ctx).Company == nil
	if c := PlaceOf(ctx).Company; c != nil {
		s.Company = c.Name
		s.Icon = OwnIcon(c.IconURL)
		s.Theme = c.Theme
		s.Greeting, s.Welcome = c.Greeting, OwnIcon(c.WelcomeURL)
		if support := p.core.Access.Support(PlaceOf(ctx)); len(support) > 0 {
			s.Phone = support[0].Phone
		}
		if styledPaths[r.URL.Path] {
			s.OwnStyle = branding.LoginStyle(*c)
		}
	}
	if s.Title == "" {
		s.Title = titleOf(r, s.Company)
	}
	if AsksLighting(ctx) {
		s.Query = EditionParam + "=" + LightingEdition
	}
	part := components.PartSignIn
	if full {
		part = components.PartAccount
	}
	s.Style = components.StyleFor(s.Theme, p.Sheets(r), part)
	return s
}

// AccountMenu returns the menu of a signed-in person on the account site. token is that of the page's forms.
func AccountMenu(token string) *components.AccountMenu {
	return &components.AccountMenu{Token: token, Accounts: "/accounts?all=1", Security: SecurityPath}
}

// titledRoutes are the routes whose title begins with a word for the page. The titles of their tabs and steps, like
// /login/code and /register/init, begin with the same word.
var titledRoutes = map[string]string{
	"login": "title.login", "register": "title.register", "experience": "title.experience",
}

// plainRoutes are the first parts of the other published addresses. Their titles are the company's name alone.
var plainRoutes = []string{"company", "bind", "unbind", "forget", "agreement", "jumperror", "wechatpro"}

// pageTitles are the pages of the account site that are not forms and whose addresses are not published. Their titles
// say what they are for, as the heading of a form does.
var pageTitles = map[string]string{
	"/accounts": "accounts.heading", "/enter": "enter.heading", SecurityPath: "security.heading",
	ProfilePath: "profile.heading", OffersPath: "offers.heading",
}

// titleOf is the title of a request's page.
func titleOf(r *http.Request, company string) string {
	key, place := pageTitles[r.URL.Path], PlaceOf(r.Context())
	if place.Site != access.SiteAccount && place.Site != access.SiteStore {
		return company
	}
	if key == "" {
		key = titledRoutes[cmp.Or(firstSegment(r.URL.Path), "login")]
	}
	if key == "" {
		return company
	}
	return locale.T(r.Context(), "title.with", "what", locale.T(r.Context(), key), "company", company)
}

// firstSegment returns the first part of a path: "login" of "/login/code".
func firstSegment(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first
}

// NamePage puts what a page is for into its title, if the title is only the company's name and the address is not a
// published one.
func NamePage(r *http.Request, s *components.Shell, what string) {
	path := r.URL.Path
	published := path != AcceptPath && slices.Contains(plainRoutes, firstSegment(path))
	if s.Title == s.Company && !published && what != "" {
		s.Title = locale.T(r.Context(), "title.with", "what", what, "company", s.Company)
	}
}

// OwnIcon keeps a company's icon when it is one of our own files: pages load nothing from elsewhere.
func OwnIcon(address string) string {
	if strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") {
		return address
	}
	return ""
}

// Render writes a page made for this request alone: never stored. It is compressed quickly, but well if it contains a
// style sheet: it is the first page that this browser gets here.
func (p *Web) Render(
	w http.ResponseWriter, r *http.Request, status int, s components.Shell, content templ.Component,
) error {
	if v := VisitOf(r.Context()); v != nil && v.IsRepeated {
		s.PlainPath = r.URL.Path
	}
	p.Wrap(r, status, &s)
	if v := VisitOf(r.Context()); v != nil && v.Restored != nil && s.Toast == "" {
		s.Toast, s.ToastLong = restoredToast(r, v.Restored), true
	}
	if status == http.StatusOK {
		arrival := p.arrivalNotice(w, r)
		s.Toast = cmp.Or(s.Toast, arrival)
	}
	if s.Menu != nil && WantsFragment(r) {
		return writeFragment(w, r, status, s, content)
	}
	s.Style.Inline += s.Marks
	p.ReportView(r, status, &s)
	html := Buffers.Get().(*bytes.Buffer)
	defer Buffers.Put(html)
	html.Reset()
	if err := RenderPage(r.Context(), html, s, content); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", HTMLType)
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", PageVary)
	h.Set("Content-Security-Policy", p.Policy(s))
	if s.Style.Gives != "" {
		p.SetCookie(w, SheetCookie, s.Style.Gives, YearSeconds)
	}
	if s.Native != nil && s.Native.Enter != "" { // its script goes to a landing site: see IsForeign
		h.Set("Referrer-Policy", "strict-origin")
	}
	if status == http.StatusOK {
		p.CountShown(r, s)
	}
	if s.Style.Gives != "" && status == http.StatusOK { // a flood of wrong addresses gets what costs less
		return writeFirst(w, r, status, html.Bytes())
	}
	return WriteQuickly(w, r, status, html.Bytes())
}

// RenderPage writes a page: the shell with content in it.
func RenderPage(ctx context.Context, w io.Writer, s components.Shell, content templ.Component) error {
	return components.Page(s).Render(templ.WithChildren(ctx, content), w)
}

// PageVary is the Vary header of a page. The User-Agent is part of it because the sign-ins by chat app that a page
// offers depend on the app that shows it.
const PageVary = "Accept-Encoding, Accept-Language, Cookie, User-Agent"

// Policy returns the Content-Security-Policy of a page. Pictures and answers to scripts come from the page's own host.
// The report of a view goes to the company's statistics. form-action names the platform's hosts, because browsers apply
// it to the redirect after a form, and a sign-in ends on another host of the platform.
func (p *Web) Policy(s components.Shell) string {
	pictures := "'self' data:"
	connections := "'self'"
	forms := p.Platform.FormAction
	scripts := "'self'"
	switch {
	case s.Report.Body != "":
		connections += " " + s.Report.Origin
	case s.Report.URL != "":
		pictures += " " + s.Report.Origin
	}
	if s.Inert {
		forms = "'none'"
	}
	if s.PlainPath != "" {
		scripts += " " + components.PlainPathHash
	}
	// A prefetch falls back to default-src, in Firefox and in old Chromium. What is not named falls back to it, too.
	return "default-src 'self'; font-src 'none'; media-src 'none'; frame-src 'none'; manifest-src 'none'; " +
		"script-src " + scripts + "; style-src 'self' " + assets.CSPHash(s.Style.Inline) +
		"; img-src " + pictures + "; connect-src " + connections + "; form-action " + forms +
		"; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
}

var (
	Buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	gzips   = gzipWriters(gzip.BestSpeed)
)

// gzipWriters returns a pool of compressors of a level from 1 to 9.
func gzipWriters(level int) *sync.Pool {
	return &sync.Pool{New: func() any { w, _ := gzip.NewWriterLevel(io.Discard, level); return w }}
}

// tooSmall is the size in bytes below which a page is not compressed, because that gains nothing.
const tooSmall = 600

// WriteQuickly sends what was made for one visitor, compressed at the fastest level. The standard library's takes more
// than twice as long, as long as it takes to draw the page, and saves a hundredth of the bytes.
func WriteQuickly(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	return writeGzipped(w, r, status, body, gzips)
}

// writeGzipped sends what was made for one visitor, compressed by a compressor of a pool.
func writeGzipped(w http.ResponseWriter, r *http.Request, status int, body []byte, compressors *sync.Pool) error {
	encoding := assets.Plain
	if len(body) >= tooSmall && assets.Accepts(r.Header.Get("Accept-Encoding"), assets.Gzip) {
		packed := Buffers.Get().(*bytes.Buffer)
		defer Buffers.Put(packed)
		packed.Reset()
		zip := compressors.Get().(*gzip.Writer)
		defer compressors.Put(zip)
		zip.Reset(packed)
		_, _ = zip.Write(body) // writing to a bytes.Buffer does not fail
		_ = zip.Close()
		body, encoding = packed.Bytes(), assets.Gzip
	}
	return send(w, r, status, body, encoding)
}

// writeFirst sends a page that contains style sheets, in the smallest encoding that the browser accepts. Brotli takes
// about 1 ms longer for it than the fastest gzip, and saves 40 ms on a slow 4G.
func writeFirst(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	encoding := assets.Encoding(r.Header.Get("Accept-Encoding"))
	return send(w, r, status, assets.CompressQuickly(body, encoding), encoding)
}

// send answers with a body in an encoding.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte, encoding string) error {
	h := w.Header()
	if encoding != assets.Plain {
		h.Set("Content-Encoding", encoding)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
	return nil
}

// RefusalText returns the message of a refusal in the reader's language.
func RefusalText(r *http.Request, refused *access.Refused) string {
	key, args := refused.Message()
	return locale.T(r.Context(), key, args...)
}

// SupportLinks returns links that call the support for this place: the company's own contact, or the provider's.
func (p *Web) SupportLinks(r *http.Request) (links []PageLink) {
	for _, person := range People(r, p.core.Access.Support(PlaceOf(r.Context()))) {
		label := locale.T(r.Context(), "login.support") + " " + components.GroupPhone(person.Phone)
		links = append(links, PageLink{label, "tel:" + person.Phone})
	}
	return links
}

// People converts contacts to the people that a page lists, with their roles in the reader's language.
func People(r *http.Request, contacts []access.Contact) []components.Person {
	var list []components.Person
	for _, c := range contacts {
		list = append(list, components.Person{Role: locale.T(r.Context(), "contact."+string(c.Role)), Name: c.Name,
			Phone: c.Phone})
	}
	return list
}

// RefusedStatus returns the status of a form that is shown again: 422, 413 for a file that is too large, or 429 or 503
// with Retry-After; 200 when nothing was refused.
func RefusedStatus(w http.ResponseWriter, refused *access.Refused) int {
	if refused == nil {
		return http.StatusOK
	}
	if wait := refused.WaitSeconds(); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
	switch refused.Refusal {
	case access.TooManyAttempts:
		return http.StatusTooManyRequests
	case access.NotAvailable:
		return http.StatusServiceUnavailable
	case access.UploadRejected:
		if refused.Reason == pictures.UploadTooLarge {
			return http.StatusRequestEntityTooLarge
		}
	}
	return http.StatusUnprocessableEntity
}

// styledPaths holds the sign-in pages. Only these use a company's own style sheet.
var styledPaths = map[string]bool{
	"/": true, "/login": true, "/login/account": true, "/login/code": true, "/forget": true, "/forget/phone": true,
	"/forget/account": true,
}
