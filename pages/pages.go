package pages

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/assets"
	"portico/components"
	"portico/locale"
	"portico/pages/development"
	"portico/pages/public"
	signinpages "portico/pages/signin"
	"portico/pages/web"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/imports"
	"portico/store"
)

// Options are the settings of the pages and what they call.
type Options struct {
	Portal     *portal.Portal
	Base       *url.URL // scheme and {host} of the platform
	Production bool     // cookies are Secure and __Host- prefixed
	Log        *slog.Logger
	Inbox      development.Inbox // nil when messages are sent by a provider

	// Routed is called with the pattern of the route that answers a request, unless it is nil.
	Routed func(r *http.Request, route string)

	// AppVersions has the oldest versions of the native app that need no update, by system: "ios" and "android".
	AppVersions map[string]string

	// Agreements returns the versions of the service agreement in a language, the current one first; nil for those of
	// locale.
	Agreements func(locale.Lang) []locale.AgreementText
}

// Pages serves the pages of every host except the host of the API.
type Pages struct {
	sharedPages

	portal     *portal.Portal
	production bool
	log        *slog.Logger
	routed     func(r *http.Request, route string)
}

// New returns the pages of all sites, with their route tables.
func New(o Options) *Pages {
	if o.Agreements == nil {
		o.Agreements = locale.Lang.Agreements
	}
	if o.Routed == nil {
		o.Routed = func(*http.Request, string) {}
	}
	p := &Pages{portal: o.Portal, production: o.Production, log: o.Log, routed: o.Routed}
	platform := web.Platform{
		Base: o.Base, Production: o.Production, Log: o.Log, Agreements: o.Agreements,
		FormAction: "'self' " + o.Base.Scheme + "://*." + o.Base.Host, AppVersions: o.AppVersions,
		Sessions: o.Portal.Sessions.Sessions(), Guard: http.NewCrossOriginProtection(),
	}
	var simulated *web.SimulatedApps
	if !o.Production {
		simulated = web.NewSimulatedApps()
	}
	p.sharedPages = newSharedPages(platform, o.Portal, o.Inbox, simulated)
	platform.Sessions.Cookie = p.web.SessionCookieOf()
	p.web.ShowApplied = p.application.RenderApplied // an applicant without an account signs in
	desktop := p.landingRoutes(map[string]store.Slot{"/home": store.PCShop, "/mgr": store.PCMgr})
	p.web.Routes = web.Routes{
		Account:    p.router(p.accountRoutes, p.development.InboxRoutes),
		Desktop:    p.router(p.accountRoutes, p.development.InboxRoutes, desktop),
		OwnDomain:  p.router(p.ownDomainRoutes, p.development.InboxRoutes, desktop),
		MobileShop: p.router(p.landingRoutes(map[string]store.Slot{"/shop": store.MobileShop})),
		MobileMgr:  p.router(p.landingRoutes(map[string]store.Slot{"/home": store.MobileMgr})),
		None:       p.router(),
	}
	return p
}

// misplaced answers a landing site's sign-out form that was opened for another account than the one that is signed in
// now. It returns false when nobody is signed in.
func (p *Pages) misplaced(w http.ResponseWriter, r *http.Request, owner core.FormOwner) (bool, error) {
	for _, slot := range access.Slots {
		l := p.newLandingPages(p.portal, web.Bases[slot], slot)
		if here, err := l.site.Here(r); err == nil {
			return true, l.site.Misplaced(w, r, owner, here)
		}
	}
	return false, nil
}

// accountRoutes returns the routes of the account site. All are exact matches.
func (p *Pages) accountRoutes(r chi.Router) {
	p.web.FormPage(r, "/", p.signin.LoginForm())
	p.web.FormPage(r, "/login", p.signin.LoginForm())
	p.web.FormPage(r, "/login/account", p.signin.LoginForm())
	p.web.FormPage(r, "/login/code", p.signin.LoginCodeForm())
	p.web.FormPage(r, "/register", p.onboarding.RegisterForm())
	p.web.FormPage(r, "/register/init", p.onboarding.InitialiseForm())
	p.web.FormPage(r, "/register/result", p.application.ResultForm())
	p.uploads.FilePage(r, "/register/more", p.application.AdmitApplicant, p.application.ApplicationForm())
	p.web.FormPage(r, "/register/wechat", p.onboarding.RegisterWeChatForm())
	// registered with GET only, because HEAD must have no effect
	r.Get(signinpages.WechatPath, p.web.Serve(p.chatlogin.BeginWeChat))
	r.Get(signinpages.WechatBack, p.web.Serve(p.chatlogin.FinishWeChat))
	r.Get(signinpages.WecomPath, p.web.Serve(p.chatlogin.BeginOrFinishWeCom))
	for _, way := range []signinpages.LinkPage{
		{P: p.chatlogin}, {P: p.chatlogin, ByName: true}, {P: p.chatlogin, ByCode: true},
	} {
		p.web.FormPage(r, way.Path(), way.Form())
	}
	p.web.FormPage(r, web.ConfirmPath, p.chatlogin.ConfirmForm())
	p.web.FormPage(r, "/wechat/continue", p.chatlogin.RecognisedForm())
	p.web.FormPage(r, "/register/complete", p.onboarding.CompleteForm())
	p.web.FormPage(r, "/experience", p.onboarding.ExperienceForm())
	p.web.Form(r, "/experience/role", p.onboarding.ShowRole, p.onboarding.SubmitRole)
	p.web.FormPage(r, "/forget", p.credentials.ForgetPhoneForm())
	p.web.FormPage(r, "/forget/phone", p.credentials.ForgetPhoneForm())
	p.web.FormPage(r, "/forget/{type}", p.credentials.ForgetPhoneForm()) // any value except "account" means a phone
	p.web.FormPage(r, "/forget/account", p.credentials.ForgetAccountForm())
	p.web.FormPage(r, "/password", p.credentials.PasswordForm())
	p.web.FormPage(r, "/bind", p.credentials.BindForm())
	p.web.FormPage(r, "/bind/{isBind}", p.credentials.BindFormByPath())
	p.web.FormPage(r, "/unbind", p.credentials.UnbindForm())
	p.web.FormPage(r, "/phone", p.credentials.PhoneForm())
	r.Post("/code", p.web.Serve(p.web.RequireSameOrigin(p.forms.SubmitCode(p.portal.AskCode))))
	p.web.Form(r, "/regions.json", p.forms.ShowRegions, nil)
	p.application.UploadLicence(r)
	p.web.Form(r, "/register/more/licence", p.application.ShowOwnLicence, nil)
	p.web.Form(r, "/company", p.signin.ShowCompany, p.signin.SubmitCompany)
	p.web.Form(r, "/accounts", p.signin.ShowAccounts, p.signin.SubmitAccounts)
	p.web.Form(r, web.SecurityPath, p.signin.ShowSecurity, nil)
	p.uploads.PersonFilePage(r, "/profile", p.credentials.ProfileForm())
	p.web.Form(r, "/enter", p.signin.ShowEnter, p.signin.SubmitEnter)
	p.web.Form(r, web.OffersPath, p.entry.ShowOffers, p.entry.SubmitOffers)
	p.web.Form(r, "/share/{name}", p.public.ShowShare, nil)
	p.web.FormPage(r, web.AcceptPath, p.entry.AcceptForm())
	r.Post("/native/enter", p.web.Serve(p.web.InApp(p.web.RequireSameOrigin(p.entry.SubmitAppToken))))
}

// landingRoutes returns the routes of a landing site. Each is for one of the four sides.
func (p *Pages) landingRoutes(paths map[string]store.Slot) func(chi.Router) {
	return func(r chi.Router) {
		p.web.Form(r, components.ReceivedPath, p.entry.NoteReceived, nil)
		for path, slot := range paths {
			l := p.newLandingPages(p.portal, path, slot)
			p.web.Form(r, path, l.site.ShowLanding(l.firstPage()), l.site.SubmitLanding)
			r.Post("/native/notices"+path, p.web.Serve(p.web.InApp(p.web.RequireSameOrigin(l.site.SubmitNotices))))
			r.Post("/native/code"+path, p.web.Serve(p.web.InApp(p.web.RequireSameOrigin(l.site.SubmitAppCode))))
			if l.site.IsShop() {
				p.web.Form(r, path+"/orders", l.site.Page(l.shop.ShowOrders), l.site.Page(l.shop.SubmitOrder))
				p.web.Form(r, path+"/orders/{id}", l.site.Page(l.shop.ShowOrder),
					l.site.Page(l.shop.SubmitRepeat))
				r.Post(path+"/products", p.web.Serve(p.web.RequireSameOrigin(l.site.Page(l.shop.SubmitProduct))))
				l.site.FormPage(r, path+"/cart", l.shop.CartForm())
			} else {
				l.lists.Routes(r)
				p.web.Form(r, path+"/orders/{id}", l.site.Page(l.shop.ShowOrder),
					l.site.Page(l.shop.SubmitConfirm))
				l.site.FormPage(r, path+"/applications/{id}", l.review.ReviewForm())
				p.web.Form(r, path+"/applications/{id}/licence", l.review.ShowLicence, nil)
				l.site.FormPage(r, path+"/customers/{id}", l.office.CustomerForm())
				l.site.FormPage(r, path+"/people/new", l.office.OpenAccountForm())
				l.site.FormPage(r, path+"/people/{id}", l.office.PersonForm())
				l.site.FormPage(r, path+"/people/{id}/role", l.office.PersonRoleForm())
				l.shop.NewForm(r, path+"/products/new")
				l.shop.EditForm(r, path+"/products/{id}")
				for _, list := range imports.Lists {
					of := path + "/" + string(list) + "/import"
					l.imports.Form(r, of, list)
					l.site.FormPage(r, of+"/run", l.imports.RunForm(list))
					p.web.Form(r, of+"/empty.xlsx", l.site.Page(l.imports.ShowEmpty(list)), nil)
					p.web.Form(r, of+"/remarks.xlsx", l.site.Page(l.imports.ShowRemarks(list)), nil)
				}
				p.web.Form(r, path+"/settings", l.site.Page(l.settings.ShowSettings), nil)
				l.site.FormPage(r, path+"/settings/employees", l.settings.EmployeesForm())
				l.site.FormPage(r, path+"/settings/registration", l.settings.ApplicationSettingForm())
				l.site.FormPage(r, path+"/settings/customer-types", l.settings.CustomerTypesForm())
				l.site.FormPage(r, path+"/settings/bank", l.settings.BankForm())
				l.branding.LookForm(r, path+"/settings/appearance")
				p.web.Form(r, path+"/settings/appearance/look", l.site.Page(l.branding.ShowLook), nil)
				r.Post(path+"/settings/appearance/preview",
					p.web.Serve(p.web.RequireSameOrigin(l.site.Page(l.branding.SubmitPreview))))
				l.branding.WelcomeForm(r, path+"/settings/welcome")
				p.web.Form(r, path+"/settings/visits", l.site.Page(l.office.ShowVisits), nil)
				p.web.Form(r, path+"/settings/visits.csv", l.site.Page(l.office.ShowVisitsExport), nil)
				p.web.Form(r, path+"/wechat.json", l.site.Page(l.settings.ShowCardSignature), nil)
				p.web.Form(r, path+"/settings/initialisation", l.site.Page(l.settings.ShowSamples),
					l.site.Page(l.settings.SubmitSamples))
			}
			if len(paths) == 1 {
				r.Get("/", p.web.Serve(func(w http.ResponseWriter, _ *http.Request) error {
					return web.SeeOther(w, path)
				}))
			}
		}
	}
}

// router returns the route table of a site: the given tables and the routes that every site has.
func (p *Pages) router(tables ...func(chi.Router)) chi.Router {
	r := chi.NewRouter()
	r.Use(p.noteRoute)
	for _, table := range tables {
		table(r)
	}
	p.web.Form(r, "/agreement", p.entry.ShowAgreement, nil)
	p.web.Form(r, "/jumperror", p.chatlogin.ShowJumpError, nil)
	p.web.Form(r, "/icon/{name}", p.public.ShowIcon, nil)
	p.web.Form(r, "/welcome/{name}", p.public.ShowWelcome, nil)
	p.web.Form(r, "/product/{name}", p.public.ShowProductPicture, nil)
	p.web.Form(r, "/portrait/{name}", p.public.ShowPortrait, nil)
	p.web.Form(r, "/robots.txt", p.public.ShowRobots, nil)
	p.web.Form(r, "/.well-known/change-password", p.public.ShowChangePassword, nil)
	p.web.Form(r, "/sitemap.xml", p.public.ShowSitemap, nil)
	r.Post("/seen", p.web.Serve(p.web.RequireSameOrigin(p.web.SubmitSeen)))
	p.web.Form(r, "/style/{name}", p.public.ShowStyle, nil)
	r.Post("/logout", p.web.Serve(p.web.RequireSameOrigin(p.signin.SubmitLogout(p.misplaced))))
	p.development.SimulatorRoutes(r)
	notFound := p.web.Serve(func(http.ResponseWriter, *http.Request) error { return access.NotFound })
	files := assets.Handler(notFound)
	r.Get(assets.Prefix+"*", files.ServeHTTP)
	r.Head(assets.Prefix+"*", files.ServeHTTP)
	r.Get("/favicon.ico", public.ShowFavicon)
	r.NotFound(notFound)
	r.MethodNotAllowed(p.web.Serve(func(w http.ResponseWriter, req *http.Request) error {
		w.Header().Set("Allow", allowedAt(r, req.URL.Path))
		return access.MethodNotAllowed
	}))
	return r
}

// noteRoute reports to p.routed which route answered a request.
func (p *Pages) noteRoute(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { p.routed(r, chi.RouteContext(r.Context()).RoutePattern()) }() // also after a panic
		next.ServeHTTP(w, r)
	})
}

// allowedAt lists the methods of a path (RFC 9110 requires them in a 405 response).
func allowedAt(r chi.Router, path string) string {
	var all []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		if r.Match(chi.NewRouteContext(), method, path) {
			all = append(all, method)
		}
	}
	return strings.Join(all, ", ")
}

// ServeHTTP decides by the host alone which company and which site this is, then goes by the site's table.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w, done := p.web.Simulate(w, r)
	if done {
		return
	}
	place, err := p.web.Locate(w, r)
	if err != nil {
		p.web.Serve(func(http.ResponseWriter, *http.Request) error { return err })(w, r)
		return
	}
	if p.production && place.OwnDomain {
		w.Header().Set("Strict-Transport-Security", ownDomainHSTS)
	}
	v := &web.Visit{Place: place, Lang: p.web.ChooseLang(w, r, place), Answer: w}
	if r.URL.RawQuery != "" {
		web.NoteEdition(v, r.URL.Query())
	}
	if p.signin.ServeCached(w, r, v) {
		p.routed(r, r.URL.Path) // one of the three paths of web.IsLoginPath
		return
	}
	r = r.WithContext(locale.With(web.WithVisit(r.Context(), v), v.Lang))
	p.web.Routes.At(place).ServeHTTP(w, r)
}

// CompressSignInPages compresses cached sign-in pages as much as possible until the context ends: first the platform's
// own, then those that are asked for again. main runs it in the background.
func (p *Pages) CompressSignInPages(ctx context.Context) {
	if err := p.signin.CompressOwnPages(ctx); err != nil {
		p.log.LogAttrs(ctx, slog.LevelError, "sign-in pages not compressed", slog.Any("error", err))
	}
	debug.FreeOSMemory() // returns the memory of the start now, because the next collection may be hours away
	p.web.Cache.CompressAskedAgain(ctx)
}
