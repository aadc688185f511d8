package pages

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"

	"portico/assets"
	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/signin"
	"portico/store"
)

// The sign-in page of a new visitor is the product's busiest page, and nothing in it belongs to one visitor. It is
// rendered and compressed once for each company, language, version and encoding, and then served from memory. At first
// it is compressed quickly. When it is asked for again, it is compressed as much as possible in the background.

// pageKey names a cached page: everything that makes it differ from others.
type pageKey struct {
	path     string
	company  int64
	version  store.Instant
	lang     locale.Lang
	linked   bool   // the style sheet is linked, not inside the page
	origin   string // public origin in the metadata; "" for a page without metadata, which browsers do not need
	doors    string // names of the chat apps that the page offers, see doorNames
	encoding string
}

// cachedPage is a stored answer. It never changes, and requests share it.
type cachedPage struct {
	body     []byte
	encoding string
	etag     string
	headers  http.Header
	length   []string // the Content-Length
	cookie   []string // the Set-Cookie that records that the browser has the style sheet; nil when it is linked
}

// size is what the page takes of the cache's memory, in bytes.
func (c *cachedPage) size() int { return len(c.body) + PageOverhead }

// withBody returns the same page with a body that is compressed otherwise.
func (c *cachedPage) withBody(body []byte) *cachedPage {
	other := *c
	other.body, other.length = body, []string{strconv.Itoa(len(body))}
	return &other
}

// serveCached answers the sign-in page of a new visitor and reports whether it did. A visitor with a session, a
// remembered login or a flash message gets a page of their own.
func (p *Pages) serveCached(w http.ResponseWriter, r *http.Request, v *visit) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !isLoginPath(r.URL.Path) || !p.plainVisit(r) {
		return false
	}
	if v.place.Site != access.SiteAccount && v.place.Site != access.SiteStore || v.place.OwnDomain {
		return false
	}
	if v.lighting {
		return false
	}
	r = r.WithContext(withVisit(r.Context(), v))
	if c := v.place.Company; c != nil && c.ViewCountURL != "" && p.foreignReferrer(r) != "" {
		return false // the statistics of this page name the referring site
	}
	doors := p.doors(r)
	if len(doors) > 0 && chatapps.ChatAppOf(r.UserAgent()) == chatapps.InWorkChat { // may sign in silently
		return false
	}
	p.shared(w, r)
	key := pageKey{
		path: r.URL.Path, company: v.place.CompanyID(), lang: v.lang, linked: p.sheets(r).Inside,
		doors: doorNames(doors), encoding: assets.Encoding(r.Header.Get("Accept-Encoding")),
	}
	if v.place.Company != nil {
		key.version = v.place.Company.UpdatedAt
	}
	if !browsing(r) {
		key.origin = p.portal.Access.PublicOrigin(v.place)
	}
	page, err := p.cache.get(key, func() (*cachedPage, error) { return p.renderLogin(v, key, doors) })
	if err != nil {
		return false // the handler of the page runs into the same error and logs it
	}
	p.countKept(r, v)
	if etag := p.cachedETag(v, key, doors, page, r.Header.Get("If-None-Match")); etag != "" {
		page.sendHeaders(w)
		w.Header()["Etag"] = []string{etag}
		delete(w.Header(), "Content-Type")
		delete(w.Header(), "Content-Security-Policy") // the browser's stored answer has its own policy
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	page.send(w, r)
	return true
}

// compressOwnPages renders the sign-in pages of the account site as browsers of phones and desktops first get them, and
// compresses them as much as possible, so that their first visitors get the smallest form.
func (p *Pages) compressOwnPages(ctx context.Context) error {
	place, err := p.portal.Access.Locate(ctx, access.LocateInput{Host: "account." + p.base.Hostname()})
	if err != nil {
		return err
	}
	for _, lang := range locale.Langs {
		for _, path := range []string{"/login", "/login/account"} {
			for _, mobile := range []bool{true, false} {
				v := &visit{place: place, lang: lang}
				doors := p.portal.Chatapps.Doors(place, "", mobile)
				key := pageKey{path: path, lang: lang, doors: doorNames(doors), encoding: assets.Brotli}
				_, err := p.cache.get(key, func() (*cachedPage, error) { return p.renderLogin(v, key, doors) })
				if err != nil {
					return err
				}
				p.cache.compress(key)
			}
		}
	}
	return nil
}

// isLoginPath reports whether a path shows the sign-in form by password.
func isLoginPath(path string) bool {
	return path == "/" || path == "/login" || path == "/login/account"
}

// plainVisit reports whether nothing in the page of this request would belong to the visitor.
func (p *Pages) plainVisit(r *http.Request) bool {
	query := r.URL.RawQuery
	own := strings.Contains(query, "done=") || strings.Contains(query, "return=")
	if own || p.native(r).on != "" {
		return false
	}
	for _, header := range r.Header["Cookie"] {
		if strings.Contains(header, sessionCookie) || strings.Contains(header, loginCookie) {
			return false
		}
	}
	return true
}

// cachedETag returns the ETag of the form of the page that the browser has stored; "" for none. Both forms are current,
// with the style sheet linked and inside.
func (p *Pages) cachedETag(v *visit, key pageKey, doors []chatapps.Door, page *cachedPage, known string) string {
	if known == "" {
		return ""
	}
	if strings.Contains(known, page.etag) {
		return page.etag
	}
	key.linked = !key.linked
	other, err := p.cache.get(key, func() (*cachedPage, error) { return p.renderLogin(v, key, doors) })
	if err == nil && strings.Contains(known, other.etag) {
		return other.etag
	}
	return ""
}

// renderLogin renders the sign-in page as any new visitor of this company and language sees it.
func (p *Pages) renderLogin(v *visit, key pageKey, doors []chatapps.Door) (*cachedPage, error) {
	ctx := locale.With(withVisit(context.Background(), v), v.lang)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, key.path, nil)
	if err != nil {
		return nil, err
	}
	view := p.loginView(r, signin.LoginInput{ByName: byName(key.path)}, nil)
	view.Doors = doorLinksOf(ctx, doors)
	shell := p.loginShell(r, view)
	shell.Style = components.StyleFor(shell.Theme, components.Sheets{Inside: key.linked}, components.PartDoor)
	if key.origin == "" {
		shell.Metadata = nil
	}
	p.reportView(r, http.StatusOK, &shell)
	html := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(html)
	html.Reset()
	if err := renderPage(ctx, html, shell, loginPage(view)); err != nil {
		return nil, err
	}
	body := html.Bytes()
	etag := `"` + strings.Trim(assets.CSPHash(string(body)), "'")[7:29] + `"`
	page := &cachedPage{encoding: key.encoding, etag: etag, headers: http.Header{
		"Content-Type": {htmlType}, "Cache-Control": {"private, no-cache"}, "Vary": {pageVary}, "Etag": {etag},
		"Content-Security-Policy": {p.policy(shell)}, "Accept-Ch": {"Sec-CH-Viewport-Width"},
	}}
	page = page.withBody(assets.CompressQuickly(body, key.encoding))
	if !key.linked {
		page.cookie = []string{p.newCookie(sheetCookie, assets.SheetVersion, yearSeconds).String()}
	}
	return page, nil
}

// sendHeaders copies the page's headers to the answer.
func (c *cachedPage) sendHeaders(w http.ResponseWriter) {
	h := w.Header()
	for name, value := range c.headers {
		h[name] = value
	}
}

// send writes the whole answer.
func (c *cachedPage) send(w http.ResponseWriter, r *http.Request) {
	c.sendHeaders(w)
	h := w.Header()
	if c.cookie != nil {
		h["Set-Cookie"] = append(c.cookie[:1:1], h["Set-Cookie"]...)
	}
	if c.encoding != assets.Plain {
		h["Content-Encoding"] = encodingHeaders[c.encoding]
	}
	h["Content-Length"] = c.length
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(c.body)
	}
}

// encodingHeaders holds the values of Content-Encoding, allocated once.
var encodingHeaders = map[string][]string{assets.Brotli: {assets.Brotli}, assets.Gzip: {assets.Gzip}}
