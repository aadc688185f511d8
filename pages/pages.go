// Package pages is the door for people: every screen as HTML that works without JavaScript. A handler
// decodes, calls an operation of portal and renders; rules live in portal.
package pages

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5"

	"portico/assets"
	"portico/locale"
	"portico/portal"
	"portico/portal/access"
	"portico/store"
)

// Options is all the pages need.
type Options struct {
	Portal     *portal.Portal
	Base       *url.URL // scheme and {host} of the platform
	Production bool     // cookies are Secure and __Host- prefixed
	Log        *slog.Logger
	Inbox      Inbox // nil: messages are really sent

	// Routed is called with the pattern of the route that answers a request, unless it is nil.
	Routed func(r *http.Request, route string)

	// AppVersions are the oldest versions of the native app that need no update, by "ios" and "android".
	AppVersions map[string]string

	// Agreements are the versions of the service agreement in a language, the present one first; nil: those of locale.
	Agreements func(locale.Lang) []locale.AgreementText
}

// Pages serves every host but the API's.
type Pages struct {
	portal     *portal.Portal
	base       *url.URL
	production bool
	log        *slog.Logger
	cache      *pageCache
	agents     agents
	inbox      Inbox
	shares     *shares
	played     *playedApps // the apps that /dev/native plays; nil in production
	formAction string
	agreements func(locale.Lang) []locale.AgreementText
	routed     func(r *http.Request, route string)

	appVersions map[string]string

	account, desktop, ownDomain, mobileShop, mobileMgr, none http.Handler

	guard    *http.CrossOriginProtection
	sessions *scs.SessionManager

	regionLists regionLists
}

// handler is a page's own code; what it returns is written by the adapter (see serve).
type handler func(w http.ResponseWriter, r *http.Request) error

// New makes the pages.
func New(o Options) *Pages {
	p := &Pages{
		portal: o.Portal, base: o.Base, production: o.Production, log: o.Log, inbox: o.Inbox,
		cache: newPageCache(SignInPagesSize), shares: newShares(),
		formAction: "'self' " + o.Base.Scheme + "://*." + o.Base.Host, guard: http.NewCrossOriginProtection(),
		sessions: o.Portal.Sessions.Sessions(),
	}
	p.sessions.Cookie = p.sessionCookieOf()
	p.appVersions = o.AppVersions
	if p.agreements = o.Agreements; p.agreements == nil {
		p.agreements = locale.Lang.Agreements
	}
	if p.routed = o.Routed; p.routed == nil {
		p.routed = func(*http.Request, string) {}
	}
	if !o.Production {
		p.played = newPlayedApps()
	}
	p.account = p.router(p.accountRoutes, p.devRoutes)
	desktop := p.landingRoutes(map[string]store.Slot{"/home": store.PCShop, "/mgr": store.PCMgr})
	p.desktop = p.router(p.accountRoutes, p.devRoutes, desktop)
	p.ownDomain = p.router(p.ownDomainRoutes, p.devRoutes, desktop)
	p.mobileShop = p.router(p.landingRoutes(map[string]store.Slot{"/shop": store.MobileShop}))
	p.none = p.router()
	p.mobileMgr = p.router(p.landingRoutes(map[string]store.Slot{"/home": store.MobileMgr}))
	return p
}

// accountRoutes is the table of the account site, exact matches all.
func (p *Pages) accountRoutes(r chi.Router) {
	p.form(r, "/", p.showLogin, p.submitLogin)
	p.form(r, "/login", p.showLogin, p.submitLogin)
	p.form(r, "/login/account", p.showLogin, p.submitLogin)
	p.form(r, "/login/code", p.showLoginCode, p.submitLoginCode)
	p.typedForm(r, "/register", p.showRegister, p.submitRegister)
	p.typedForm(r, "/register/init", p.showInitialise, p.submitInitialise)
	p.form(r, "/register/result", p.showResult, p.submitApplicationProof)
	p.uploadForm(r, "/register/more", p.admitApplicant, p.showApplicationForm, p.submitApplicationForm)
	p.form(r, "/register/wechat", p.showRegisterWeChat, p.submitRegisterWeChat)
	r.Get(wechatPath, p.serve(p.beginWeChat)) // these three do something: HEAD must not
	r.Get(wechatBack, p.serve(p.finishWeChat))
	r.Get(wecomPath, p.serve(p.beginOrFinishWeCom))
	for _, way := range []linkPage{{p: p}, {p: p, byName: true}, {p: p, byCode: true}} {
		p.form(r, way.path(), way.show, way.submit)
	}
	p.form(r, confirmPath, p.showConfirm, p.submitConfirm)
	r.Post("/wechat/continue", p.serve(p.guarded(p.submitRecognised)))
	p.form(r, "/register/complete", p.showComplete, p.submitComplete)
	p.form(r, "/experience", p.showExperience, p.submitExperience)
	p.form(r, "/experience/role", p.showRole, p.submitRole)
	p.form(r, "/forget", p.showForgetPhone, p.submitForgetPhone)
	p.form(r, "/forget/phone", p.showForgetPhone, p.submitForgetPhone)
	p.form(r, "/forget/{type}", p.showForgetPhone, p.submitForgetPhone) // any other type than an account
	p.form(r, "/forget/account", p.showForgetAccount, p.submitForgetAccount)
	p.form(r, "/password", p.showPassword, p.submitPassword)
	p.typedForm(r, "/bind", bindPage{p, false}.show, bindPage{p, false}.submit)
	p.typedForm(r, "/bind/{isBind}", p.bindHandler(bindPage.show), p.bindHandler(bindPage.submit))
	p.form(r, "/unbind", p.showUnbind, p.submitUnbind)
	p.typedForm(r, "/phone", p.showPhone, p.submitPhone)
	r.Post("/code", p.serve(p.guarded(p.submitCode)))
	p.form(r, "/regions.json", p.showRegions, nil)
	p.uploadLicence(r)
	p.form(r, "/register/more/licence", p.showOwnLicence, nil)
	p.form(r, "/company", p.showCompany, p.submitCompany)
	p.form(r, "/accounts", p.showAccounts, p.submitAccounts)
	p.typedUploadForm(r, "/profile", p.showProfile, p.submitProfile)
	p.form(r, "/enter", p.showEnter, p.submitEnter)
	p.form(r, offersPath, p.showOffers, p.submitOffers)
	p.form(r, "/share/{name}", p.showShare, nil)
	p.form(r, acceptPath, p.showAccept, p.submitAccept)
	r.Post("/native/enter", p.serve(p.inApp(p.guarded(p.submitAppToken))))
}

// landingRoutes are the landing pages of a site, each for one of the four sides.
func (p *Pages) landingRoutes(paths map[string]store.Slot) func(chi.Router) {
	return func(r chi.Router) {
		for path, slot := range paths {
			l := landingPages{p, path, slot}
			p.form(r, path, l.show, l.submit)
			r.Post("/native/notices"+path, p.serve(p.inApp(p.guarded(l.submitNotices))))
			r.Post("/native/code"+path, p.serve(p.inApp(p.guarded(l.submitAppCode))))
			if l.isShop() {
				p.form(r, path+"/orders", l.page(l.showOrders), l.page(l.submitOrder))
				p.form(r, path+"/orders/{id}", l.page(l.showOrder), nil)
			} else {
				p.form(r, path+"/orders", l.page(l.showOrders), nil)
				p.form(r, path+"/orders/{id}", l.page(l.showOrder), l.page(l.submitConfirm))
				p.form(r, path+"/applications", l.page(l.showApplications), l.page(l.submitApplications))
				p.form(r, path+"/applications/{id}", l.typed(l.showReview, l.submitReview), l.page(l.submitReview))
				p.form(r, path+"/customers", l.page(l.showCustomers), nil)
				p.form(r, path+"/applications/{id}/licence", l.showLicence, nil)
				p.form(r, path+"/customers/{id}", l.typed(l.showCustomer, l.submitCustomer), l.page(l.submitCustomer))
				p.form(r, path+"/people", l.page(l.showPeople), nil)
				p.form(r, path+"/people/new", l.typed(l.showOpenAccount, l.submitOpenAccount), l.page(l.submitOpenAccount))
				p.form(r, path+"/people/{id}", l.typed(l.showPerson, l.submitPerson), l.page(l.submitPerson))
				p.form(r, path+"/people/{id}/role", l.page(l.showPersonRole), l.page(l.submitPersonRole))
				p.form(r, path+"/settings", l.page(l.showSettings), nil)
				p.form(r, path+"/settings/employees", l.typed(l.showEmployees, l.submitEmployees), l.page(l.submitEmployees))
				p.form(r, path+"/settings/registration", l.typed(l.showApplicationSetting, l.submitApplicationSetting), l.page(l.submitApplicationSetting))
				p.form(r, path+"/settings/customer-types", l.typed(l.showCustomerTypes, l.submitCustomerTypes), l.page(l.submitCustomerTypes))
				p.form(r, path+"/settings/bank", l.typed(l.showBank, l.submitBank), l.page(l.submitBank))
				l.lookForm(r, path+"/settings/appearance", l.showAppearance, l.submitAppearance)
				p.form(r, path+"/settings/appearance/look", l.page(l.showLook), nil)
				r.Post(path+"/settings/appearance/preview", p.serve(p.guarded(l.page(l.submitPreview))))
				p.form(r, path+"/settings/visits", l.page(l.showVisits), nil)
				p.form(r, path+"/settings/visits.csv", l.page(l.showVisitsExport), nil)
				p.form(r, path+"/audit", l.page(l.showAudit), nil)
				p.form(r, path+"/audit.csv", l.page(l.showAuditExport), nil)
				p.form(r, path+"/settings/initialisation", l.page(l.showSamples), l.page(l.submitSamples))
			}
			if len(paths) == 1 {
				r.Get("/", p.serve(func(w http.ResponseWriter, r *http.Request) error { return seeOther(w, path) }))
			}
		}
	}
}

// router adds what every site has.
func (p *Pages) router(tables ...func(chi.Router)) http.Handler {
	r := chi.NewRouter()
	r.Use(p.noteRoute)
	for _, table := range tables {
		table(r)
	}
	p.form(r, "/agreement", p.showAgreement, nil)
	p.form(r, "/jumperror", p.showJumpError, nil)
	p.form(r, "/icon/{name}", p.showIcon, nil)
	p.form(r, "/portrait/{name}", p.showPortrait, nil)
	p.form(r, "/robots.txt", p.showRobots, nil)
	p.form(r, "/sitemap.xml", p.showSitemap, nil)
	r.Post("/seen", p.serve(p.guarded(p.submitSeen)))
	p.form(r, "/style/{name}", p.showStyle, nil)
	r.Post("/logout", p.serve(p.guarded(p.submitLogout)))
	p.playRoutes(r)
	notFound := p.serve(func(http.ResponseWriter, *http.Request) error { return access.NotFound })
	files := assets.Handler(notFound)
	r.Get(assets.Prefix+"*", files.ServeHTTP)
	r.Head(assets.Prefix+"*", files.ServeHTTP)
	r.Get("/favicon.ico", showFavicon)
	r.NotFound(notFound)
	r.MethodNotAllowed(p.serve(func(w http.ResponseWriter, req *http.Request) error {
		w.Header().Set("Allow", allowedAt(r, req.URL.Path))
		return access.MethodNotAllowed
	}))
	return r
}

// noteRoute tells which route answered a request.
func (p *Pages) noteRoute(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { p.routed(r, chi.RouteContext(r.Context()).RoutePattern()) }() // also after a panic
		next.ServeHTTP(w, r)
	})
}

// allowedAt lists the methods of a path (RFC 9110: a 405 says them).
func allowedAt(r chi.Router, path string) string {
	var all []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		if r.Match(chi.NewRouteContext(), method, path) {
			all = append(all, method)
		}
	}
	return strings.Join(all, ", ")
}

// form mounts a page: show answers GET and HEAD, submit POST.
func (p *Pages) form(r chi.Router, path string, show, submit handler) {
	r.Get(path, p.serve(show))
	r.Head(path, p.serve(show))
	if submit != nil {
		r.Post(path, p.serve(p.guarded(submit)))
	}
}

// ServeHTTP decides by the host alone which company and which site this is, then goes by the site's table.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w, done := p.play(w, r)
	if done {
		return
	}
	place, err := p.locate(w, r)
	if err != nil {
		p.serve(func(http.ResponseWriter, *http.Request) error { return err })(w, r)
		return
	}
	if p.production && place.OwnDomain {
		w.Header().Set("Strict-Transport-Security", ownDomainHSTS)
	}
	v := &visit{place: place, lang: p.chooseLang(w, r, place), answer: w}
	if r.URL.RawQuery != "" {
		noteEdition(v, r.URL.Query())
	}
	if p.serveCached(w, r, v) {
		p.routed(r, r.URL.Path) // one of the three paths of isLoginPath
		return
	}
	r = r.WithContext(locale.With(withVisit(r.Context(), v), v.lang))
	p.site(place).ServeHTTP(w, r)
}

// CompressSignInPages compresses cached sign-in pages as much as possible until the context ends: first the platform's
// own, then those that are asked for again. main runs it in the background.
func (p *Pages) CompressSignInPages(ctx context.Context) {
	if err := p.compressOwnPages(ctx); err != nil {
		p.log.LogAttrs(ctx, slog.LevelError, "sign-in pages not compressed", slog.Any("error", err))
	}
	debug.FreeOSMemory() // returns what the start took: the next collection may be hours away
	p.cache.compressAskedAgain(ctx)
}

func (p *Pages) site(place access.Place) http.Handler {
	switch {
	case place.Site == access.SiteMobileShop:
		return p.mobileShop
	case place.Site == access.SiteMobileMgr:
		return p.mobileMgr
	case place.Site == access.SiteAPI:
		return p.none
	case place.OwnDomain:
		return p.ownDomain
	case place.Desktop():
		return p.desktop
	}
	return p.account
}

// serve is the one adapter: it loads the browser's session, and writes what a handler refuses or fails with. The
// session of a form is loaded after its body was read, which may take long: see sameOrigin.
func (p *Pages) serve(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			r = p.withSession(r)
		}
		if err := h(w, r); err != nil {
			p.fail(w, r, err)
		}
	}
}

// errCrossOrigin refuses a form that was not sent from a page of this site.
var errCrossOrigin = fmt.Errorf("pages: cross-origin form: %w", access.Forbidden)

// guarded accepts a form that was sent from a page of this site, by the person it was opened for. The browser says
// where the form comes from (Sec-Fetch-Site, Origin). Old WebViews say nothing; with a session they need the form's
// token.
func (p *Pages) guarded(h handler) handler {
	return p.sameOrigin(readForm, p.requireToken(p.checkOwner(h)))
}

// sameOrigin refuses a form that comes from another site, by the browser's headers. It reads any other form, and then
// loads the browser's session.
func (p *Pages) sameOrigin(read, h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := p.guard.Check(r); err != nil {
			return errCrossOrigin
		}
		if err := read(w, r); err != nil {
			return err
		}
		r = p.withSession(r)
		noteEdition(visitOf(r.Context()), r.PostForm)
		return h(w, r)
	}
}

// noOrigin says that the browser sent neither Sec-Fetch-Site nor Origin, so that the form's origin is unknown.
func noOrigin(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == ""
}

// seeOther is the success of a form: 303 to an address built from configuration or a fixed path.
func seeOther(w http.ResponseWriter, location string) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

func isRefusal(err error, refusals ...access.Refusal) bool {
	for _, r := range refusals {
		if errors.Is(err, r) {
			return true
		}
	}
	return false
}
