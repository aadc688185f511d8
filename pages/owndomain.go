package pages

import (
	"cmp"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"portico/locale"
	signinpages "portico/pages/signin"
	"portico/pages/web"
	"portico/portal/access"
)

// ownDomainHSTS keeps browsers on https for 30 days. The company owns the domain, so the rule does not include its
// other hosts, and it expires soon after the company has left.
const ownDomainHSTS = "max-age=2592000"

// ownDomainRoutes are the routes of a company's own domain beside the landing pages. The company decides by DNS which
// machine answers there, and that machine could read what is typed, so nothing of the account site is served: a page
// with a button leads to the company's host of the platform, and every other path leads to the same path there.
func (p *Pages) ownDomainRoutes(r chi.Router) {
	account := chi.NewRouter()
	p.accountRoutes(account)
	served := map[string]bool{"/": true, "/login": true, signinpages.WechatPath: true,
		signinpages.WecomPath: true, "/share/{name}": true}
	err := chi.Walk(account, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method == http.MethodPost || !served[route] {
			r.MethodFunc(method, route, p.web.Serve(p.toPlatformHost))
		}
		return nil
	})
	if err != nil { // only the callback above returns errors
		panic(err)
	}
	for _, path := range []string{"/", "/login"} {
		p.web.Form(r, path, p.showOwnDomain, nil)
	}
	r.Get(signinpages.WechatPath, p.web.Serve(p.chatlogin.BeginWeChat))
	r.Get(signinpages.WecomPath, p.web.Serve(p.wecomAtOwnDomain))
	p.web.Form(r, "/share/{name}", p.public.ShowShare, nil)
}

// toPlatformHost redirects to the same path and query on the company's host of the platform. It does not read forms:
// the person fills them in there.
func (p *Pages) toPlatformHost(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Referrer-Policy", "no-referrer") // the address of a callback contains a code
	target := url.URL{Path: r.URL.Path, RawQuery: r.URL.RawQuery}
	place := web.PlaceOf(r.Context())
	if r.Method == http.MethodPost && !p.web.Routes.At(place).Match(chi.NewRouteContext(), http.MethodGet, r.URL.Path) {
		target = url.URL{Path: "/login"} // the path accepts only POST
	}
	return web.SeeOther(w, p.portal.Access.CompanyOrigin(place.CompanyID())+target.String())
}

// wecomAtOwnDomain begins on the company's host of the platform, and takes a callback there.
func (p *Pages) wecomAtOwnDomain(w http.ResponseWriter, r *http.Request) error {
	if query := r.URL.Query(); query.Has("code") || query.Has("state") {
		return p.toPlatformHost(w, r)
	}
	return p.chatlogin.BeginChat(w, r, access.WeCom)
}

// ownDomainView is the sign-in page of a company's own domain.
type ownDomainView struct {
	Company     string
	SignIn      string // the address of the sign-in page on the company's host of the platform
	Host        string // of SignIn
	ChatMethods []signinpages.MethodLink
	Join        bool // customers may ask this company to let them order
}

// showOwnDomain shows the page of a company's own domain with the button to the sign-in page.
func (p *Pages) showOwnDomain(w http.ResponseWriter, r *http.Request) error {
	if silently, err := p.chatlogin.SignInSilently(w, r); silently {
		return err
	}
	place := web.PlaceOf(r.Context())
	signIn := p.signInAddress(r, place)
	view := ownDomainView{
		Company: place.Company.Name, SignIn: signIn.String(), Host: signIn.Host,
		ChatMethods: p.chatlogin.MethodLinks(r),
		Join:        place.Company.ApplicationsOpen,
	}
	shell := p.web.Shell(r, "", true)
	shell.Panel, shell.Mirror = true, web.MirrorPlace(r)
	p.web.AllowIndexing(r, &shell, web.PublicLogin, "")
	p.signin.NoteLoginDone(w, r, &shell)
	return p.web.Render(w, r, http.StatusOK, shell, ownDomainPage(view))
}

// signInAddress returns the address of the sign-in page on the company's platform host, with the page to return to, the
// person who shared the link, the edition and the language.
func (p *Pages) signInAddress(r *http.Request, place access.Place) *url.URL {
	there, err := url.Parse(p.portal.Access.CompanyOrigin(place.CompanyID()))
	if err != nil { // it is built from configuration
		panic(err)
	}
	there.Path = "/login"
	asked, kept := r.URL.Query(), url.Values{}
	if back := web.AskedReturn(r); back != "" {
		kept.Set("return", back)
	}
	for _, name := range []string{"u", "c"} {
		if id, ok := access.DecimalID(asked.Get(name)); ok {
			kept.Set(name, web.Decimal(id))
		}
	}
	if web.AsksLighting(r.Context()) {
		kept.Set(web.EditionParam, web.LightingEdition)
	}
	if lang, chosen := locale.Match(cmp.Or(asked.Get("lang"), p.web.Cookie(r, web.LangCookie))); chosen {
		kept.Set("lang", string(lang))
	}
	there.RawQuery = kept.Encode()
	return there
}
