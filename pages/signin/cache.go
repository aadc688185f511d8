package signin

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"portico/assets"
	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
)

// ServeCached answers the sign-in page of a new visitor and reports whether it did. A visitor with a session, a
// remembered login or a flash message gets a page of their own.
func (p *Pages) ServeCached(w http.ResponseWriter, r *http.Request, v *web.Visit) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !web.IsLoginPath(r.URL.Path) ||
		!p.plainVisit(r) {
		return false
	}
	if v.Place.Site != access.SiteAccount && v.Place.Site != access.SiteStore || v.Place.OwnDomain {
		return false
	}
	if v.Lighting {
		return false
	}
	r = r.WithContext(web.WithVisit(r.Context(), v))
	if c := v.Place.Company; c != nil && c.ViewCountURL != "" && p.web.ForeignReferrer(r) != "" {
		return false // the statistics of this page name the referring site
	}
	methods := p.chatlogin.Methods(r)
	if len(methods) > 0 && signin.ChatAppOf(r.UserAgent()) == signin.InWorkChat { // may sign in silently
		return false
	}
	p.web.KeepSharer(w, r)
	key := web.PageKey{
		Path: r.URL.Path, Company: v.Place.CompanyID(), Lang: v.Lang, Linked: p.web.Sheets(r).Account,
		ChatMethods: MethodNames(methods), Encoding: assets.Encoding(r.Header.Get("Accept-Encoding")),
	}
	if v.Place.Company != nil {
		key.Version = v.Place.Company.UpdatedAt
	}
	if !web.FromBrowser(r) {
		key.Origin = p.portal.Core.Access.PublicOrigin(v.Place)
		_, key.LangAsked = web.AskedLang(r)
	}
	page, err := p.web.Cache.Get(key, func() (*web.CachedPage, error) { return p.renderLogin(v, key, methods) })
	if err != nil {
		return false // the handler of the page runs into the same error and logs it
	}
	p.web.CountCached(r, v)
	if etag := p.cachedETag(v, key, methods, page, r.Header.Get("If-None-Match")); etag != "" {
		page.SendHeaders(w)
		w.Header()["Etag"] = []string{etag}
		delete(w.Header(), "Content-Type")
		delete(w.Header(), "Content-Security-Policy") // the browser's stored answer has its own policy
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	page.Send(w, r)
	return true
}

// CompressOwnPages renders the sign-in pages of the account site as browsers of phones and desktops first get them, and
// compresses them as much as possible, so that their first visitors get the smallest form.
func (p *Pages) CompressOwnPages(ctx context.Context) error {
	place, err := p.portal.Core.Access.Locate(ctx, access.LocateInput{Host: "account." + p.base.Hostname()})
	if err != nil {
		return err
	}
	compressed := map[web.PageKey]struct{}{} // phones and desktops share a page that offers them the same chat apps
	for _, lang := range locale.Langs {
		for _, path := range []string{"/login", "/login/account"} {
			for _, mobile := range []bool{true, false} {
				v := &web.Visit{Place: place, Lang: lang}
				methods := p.portal.Chatapps.Methods(place, "", mobile)
				key := web.PageKey{
					Path:        path,
					Lang:        lang,
					ChatMethods: MethodNames(methods),
					Encoding:    assets.Brotli,
				}
				if _, done := compressed[key]; done {
					continue
				}
				compressed[key] = struct{}{}
				_, err := p.web.Cache.Get(key,
					func() (*web.CachedPage, error) { return p.renderLogin(v, key, methods) })
				if err != nil {
					return err
				}
				p.web.Cache.Compress(key)
			}
		}
	}
	return nil
}

// plainVisit reports whether nothing in the page of this request would belong to the visitor.
func (p *Pages) plainVisit(r *http.Request) bool {
	query := r.URL.RawQuery
	own := strings.Contains(query, "done=") || strings.Contains(query, "return=")
	if own || p.web.Native(r).System != "" {
		return false
	}
	for _, header := range r.Header["Cookie"] {
		if strings.Contains(header, web.SessionCookie) || strings.Contains(header, web.LoginCookie) ||
			strings.Contains(header, web.WayCookie+"=") {
			return false
		}
	}
	return true
}

// cachedETag returns the ETag of the form of the page that the browser has stored; "" for none. Both forms are current,
// with the style sheet linked and inside.
func (p *Pages) cachedETag(
	v *web.Visit, key web.PageKey, methods []signin.Method, page *web.CachedPage, known string,
) string {
	if known == "" {
		return ""
	}
	if strings.Contains(known, page.Etag) {
		return page.Etag
	}
	key.Linked = !key.Linked
	other, err := p.web.Cache.Get(key, func() (*web.CachedPage, error) { return p.renderLogin(v, key, methods) })
	if err == nil && strings.Contains(known, other.Etag) {
		return other.Etag
	}
	return ""
}

// renderLogin renders the sign-in page as any new visitor of this company and language sees it.
func (p *Pages) renderLogin(v *web.Visit, key web.PageKey, methods []signin.Method) (*web.CachedPage, error) {
	ctx := locale.With(web.WithVisit(context.Background(), v), v.Lang)
	address := key.Path
	if key.LangAsked {
		address += "?lang=" + string(key.Lang)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	view := p.LoginView(r, signin.LoginInput{ByName: web.IsAccountNamePath(key.Path)}, nil)
	view.ChatMethods = MethodLinksOf(ctx, methods)
	view.Others = p.waysOf(r, view.ChatMethods)
	view.Tabs = signInTabs(ctx, false)
	shell := p.LoginShell(r, view)
	shell.Style = components.StyleFor(shell.Theme, components.Sheets{Account: key.Linked}, components.PartSignIn)
	if key.Origin == "" {
		shell.Metadata = nil
	}
	p.web.ReportView(r, http.StatusOK, &shell)
	html := web.Buffers.Get().(*bytes.Buffer)
	defer web.Buffers.Put(html)
	html.Reset()
	if err := web.RenderPage(ctx, html, shell, LoginPage(view)); err != nil {
		return nil, err
	}
	body := html.Bytes()
	etag := `"` + strings.Trim(assets.CSPHash(string(body)), "'")[7:29] + `"`
	page := &web.CachedPage{Encoding: key.Encoding, Etag: etag, Headers: http.Header{
		"Content-Type": {web.HTMLType}, "Cache-Control": {"private, no-cache"}, "Vary": {web.PageVary}, "Etag": {etag},
		"Content-Security-Policy": {p.web.Policy(shell)}, "Accept-Ch": {"Sec-CH-Viewport-Width"},
	}}
	page = page.WithBody(assets.CompressQuickly(body, key.Encoding))
	if !key.Linked {
		page.Cookie = []string{p.web.NewCookie(web.SheetCookie, assets.AccountVersion,
			web.YearSeconds).String()}
	}
	return page, nil
}
