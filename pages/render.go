package pages

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"

	"portico/assets"
	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/pictures"
)

const htmlType = "text/html; charset=utf-8"

// shell is the surround of a page for this visitor: company, colours, language switch, style sheet. full
// says whether the page needs the whole sheet at once.
func (p *Pages) shell(r *http.Request, title string, full bool) components.Shell {
	ctx := r.Context()
	s := components.Shell{Title: title, Company: locale.T(ctx, "platform"), Path: r.URL.Path}
	if c := placeOf(ctx).Company; c != nil {
		s.Company, s.Icon, s.Theme = c.Name, ownIcon(c.IconURL), c.Theme
		if styledPaths[r.URL.Path] {
			s.OwnStyle = branding.LoginStyle(*c)
		}
	}
	if s.Title == "" {
		s.Title = titleOf(r, s.Company)
	}
	if asksLighting(ctx) {
		s.Query = editionParam + "=" + lightingEdition
	}
	part := components.PartDoor
	if full {
		part = components.PartInside
	}
	s.Style = components.StyleFor(s.Theme, p.sheets(r), part)
	return s
}

// titlePrefixes are the pages whose title says what they are for, before the company's name. The title of every other
// page is the company's name alone. On a company's host, where customers apply to order, /register shows the
// application.
var titlePrefixes = map[string]string{
	"/": "title.login", "/login": "title.login", "/register": "title.register", "/experience": "title.experience",
}

// titleOf is the title of a request's page.
func titleOf(r *http.Request, company string) string {
	prefix, place := titlePrefixes[r.URL.Path], placeOf(r.Context())
	if prefix == "" || place.Site != access.SiteAccount && place.Site != access.SiteStore {
		return company
	}
	return locale.T(r.Context(), "title.with", "what", locale.T(r.Context(), prefix), "company", company)
}

// ownIcon keeps a company's icon when it is one of our own files: pages load nothing from elsewhere.
func ownIcon(address string) string {
	if strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") {
		return address
	}
	return ""
}

func (p *Pages) sheets(r *http.Request) components.Sheets {
	return components.SheetsOf(p.cookie(r, sheetCookie))
}

// more gives a page the second sheet, too.
func (p *Pages) more(r *http.Request, s *components.Shell) {
	s.Style = components.StyleFor(s.Theme, p.sheets(r), components.PartMore)
}

// render writes a page made for this request alone: never stored, compressed quickly.
func (p *Pages) render(
	w http.ResponseWriter, r *http.Request, status int, s components.Shell, content templ.Component,
) error {
	p.wrap(r, status, &s)
	p.reportView(r, status, &s)
	if v := visitOf(r.Context()); v != nil && v.restored != nil && s.Toast == "" {
		s.Toast, s.ToastLong = restoredToast(r, v.restored), true
	}
	if s.Toast == "" && status == http.StatusOK {
		s.Toast = p.arrivalNotice(w, r)
	}
	html := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(html)
	html.Reset()
	if err := renderPage(r.Context(), html, s, content); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", htmlType)
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", pageVary)
	h.Set("Content-Security-Policy", p.policy(s))
	if s.Style.Gives != "" {
		p.setCookie(w, sheetCookie, s.Style.Gives, yearSeconds)
	}
	if s.Native != nil && s.Native.Enter != "" { // its script goes to a landing site: see isForeign
		h.Set("Referrer-Policy", "strict-origin")
	}
	if status == http.StatusOK {
		p.countShown(r, s)
	}
	return writeQuickly(w, r, status, html.Bytes())
}

func renderPage(ctx context.Context, w io.Writer, s components.Shell, content templ.Component) error {
	return components.Page(s).Render(templ.WithChildren(ctx, content), w)
}

// pageVary is what a page's text depends on beside its address: its doors are those of the app it is shown in.
const pageVary = "Accept-Encoding, Cookie, User-Agent"

// policy is the Content-Security-Policy of a page. Pictures and answers to scripts come from us, and the report of a
// view goes to the company's statistics. form-action names the platform's own hosts because browsers hold the redirect
// after a form to it, and sign-in ends on another of our hosts.
func (p *Pages) policy(s components.Shell) string {
	pictures, connections, forms := "'self' data:", "'self'", p.formAction
	switch {
	case s.Report.Body != "":
		connections += " " + s.Report.Origin
	case s.Report.URL != "":
		pictures += " " + s.Report.Origin
	}
	if s.Inert {
		forms = "'none'"
	}
	return "default-src 'none'; script-src 'self'; style-src 'self' " + assets.CSPHash(s.Style.Inline) +
		"; img-src " + pictures + "; connect-src " + connections + "; form-action " + forms +
		"; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
}

var (
	buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	gzips   = sync.Pool{New: func() any { w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed); return w }}
)

// tooSmall is the size in bytes below which compressing gains nothing.
const tooSmall = 600

// writeQuickly sends a page made for one reader, compressed at the level that costs least: a stronger one
// takes three times as long for a tenth of the bytes.
func writeQuickly(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	h := w.Header()
	if len(body) >= tooSmall && assets.Accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		packed := buffers.Get().(*bytes.Buffer)
		defer buffers.Put(packed)
		packed.Reset()
		zip := gzips.Get().(*gzip.Writer)
		defer gzips.Put(zip)
		zip.Reset(packed)
		_, _ = zip.Write(body) // a bytes.Buffer takes everything
		_ = zip.Close()
		body = packed.Bytes()
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
	return nil
}

// refusalText is the message of a refusal in the reader's language.
func refusalText(r *http.Request, refused *access.Refused) string {
	key, args := refused.Message()
	return locale.T(r.Context(), key, args...)
}

// supportLinks returns links that call the support of this place: the company's own contact, or the provider's.
func (p *Pages) supportLinks(r *http.Request) (links []pageLink) {
	for _, person := range people(r, p.portal.Access.Support(placeOf(r.Context()))) {
		links = append(links, pageLink{person.Role + " " + person.Name, "tel:" + person.Phone})
	}
	return links
}

// people turns contacts into what the page lists.
func people(r *http.Request, contacts []access.Contact) []components.Person {
	var list []components.Person
	for _, c := range contacts {
		list = append(list, components.Person{Role: locale.T(r.Context(), "contact."+string(c.Role)), Name: c.Name, Phone: c.Phone})
	}
	return list
}

// refusedStatus is the status of a form that comes back: 422, or 429 and 503 with Retry-After; 200 when
// nothing was refused.
func refusedStatus(w http.ResponseWriter, refused *access.Refused) int {
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
