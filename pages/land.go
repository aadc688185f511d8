package pages

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/landing"
	"portico/portal/limits"
	"portico/store"
)

// landing is the site of one side. Its first page, at path, redeems the auth code. All its pages require an account
// that is signed in to the side.
type landingPages struct {
	*Pages
	path string
	slot store.Slot
}

// askedView is the page that asks before an account is signed in to a side. Old is the account that it would replace,
// "" for none.
type askedView struct {
	Path     string
	Old, New string
	Company  string // of the new account
	Return   string // the path to open after a yes, "" for the first page
	Token    string
}

// landed handles a request of an account that is signed in to the side.
type landed func(w http.ResponseWriter, r *http.Request, here access.Landing) error

func (l landingPages) isShop() bool { return l.slot == store.MobileShop || l.slot == store.PCShop }

func (l landingPages) show(w http.ResponseWriter, r *http.Request) error {
	if code := r.URL.Query().Get("auth_code_"); code != "" && r.Method == http.MethodHead {
		return seeOther(w, l.path) // link previews send HEAD and must not use up the code
	} else if code != "" {
		return l.redeem(w, r, code)
	}
	if r.URL.Query().Has("asked") {
		asked, err := l.portal.Landing.Asked(r.Context(), placeOf(r.Context()), l.slot)
		if err == nil {
			return l.showAsked(w, r, asked)
		}
	}
	if back := r.URL.Query().Get("return"); back != "" {
		return l.page(func(w http.ResponseWriter, r *http.Request, _ access.Landing) error {
			return seeOther(w, cmp.Or(l.arriveAt(l.slot, back, false), l.path))
		})(w, r)
	}
	if l.isShop() {
		return l.typed(l.showCatalogue, l.catalogueAgain)(w, r)
	}
	return l.page(l.showOffice)(w, r)
}

// page requires an account that is signed in to the side, and redirects to the sign-in page without one. It answers a
// form that was opened for another account: see misplaced.
func (l landingPages) page(show landed) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		here, err := l.here(r)
		if errors.Is(err, access.LoginRequired) && r.Method == http.MethodGet && cookiesBlocked(r) {
			return err
		}
		if errors.Is(err, access.LoginRequired) {
			w.Header().Set("Clear-Site-Data", `"storage"`) // the browser's copy of the account
			signIn := l.signInFrom(r)
			if wanted := deepLink(r); r.Method == http.MethodGet && wanted != l.path {
				signIn = withReturn(signIn, wanted)
			}
			return l.signInAgain(w, r, l.otherSignIn(r), signIn)
		}
		if err != nil {
			return err
		}
		noteCompany(r.Context(), here.Member.Company)
		if r.Method == http.MethodPost {
			if owner := l.formOwner(r); errors.Is(limits.CheckLandingForm(owner, here), limits.ErrFormMisplaced) {
				return l.misplaced(w, l.inTheirLanguage(r, here.Member.Company), owner, here)
			}
		}
		return show(w, l.inTheirLanguage(r, here.Member.Company), here)
	}
}

// signInFrom is the sign-in page for a person who is not signed in to the side. It says that their session has ended,
// unless the browser never had one here.
func (l landingPages) signInFrom(r *http.Request) string {
	if l.sessionToken(r) == "" {
		return l.otherSignIn(r)
	}
	return l.otherSignIn(r) + "?done=session_ended"
}

// here reads the account that the browser is signed in to on the side, and makes it the owner of the page's forms.
func (l landingPages) here(r *http.Request) (access.Landing, error) {
	s, err := l.session(r)
	if err != nil {
		return access.Landing{}, err
	}
	here, err := l.portal.Landing.LandingOf(r.Context(), s, l.slot)
	if err == nil {
		visitOf(r.Context()).owner = limits.LandingOwner(here)
	}
	return here, err
}

// inTheirLanguage shows the page in the language of the account's company unless the person chose a language. The
// mobile hosts serve all companies, so the host does not decide the language there.
func (l landingPages) inTheirLanguage(r *http.Request, c store.Company) *http.Request {
	lang, known := locale.Match(c.Language)
	if _, chosen := locale.Match(l.cookie(r, langCookie)); chosen || !known || r.URL.Query().Has("lang") {
		return r
	}
	return r.WithContext(locale.With(r.Context(), lang))
}

// redeem redeems the code and redirects to an address without it, so that it is not in the history or a Referer.
func (l landingPages) redeem(w http.ResponseWriter, r *http.Request, code string) error {
	w.Header().Set("Referrer-Policy", "no-referrer")
	result, err := l.portal.Landing.Redeem(r.Context(), landing.RedeemInput{
		Code: code, Place: placeOf(r.Context()), Slot: l.slot, Foreign: l.isForeign(r),
	})
	if isRefusal(err, access.RedirectFailed) {
		return seeOther(w, "/jumperror")
	}
	if err != nil {
		return err
	}
	l.writeSession(w, r, result.Token, result.EndsAt, true)
	if lang, ok := locale.Match(result.Lang); ok {
		l.setCookie(w, langCookie, string(lang), yearSeconds)
	}
	if result.Asked {
		asking := l.path + "?asked=1"
		if result.Return != "" {
			asking = withReturn(asking, result.Return)
		}
		return seeOther(w, asking)
	}
	if result.Return == "" || result.Notice != "" {
		l.setCookie(w, doneCookie, cmp.Or(result.Notice, noticeEntered), minuteSeconds)
	}
	return seeOther(w, cmp.Or(result.Return, l.path))
}

func (l landingPages) submit(w http.ResponseWriter, r *http.Request) error {
	switch r.PostForm.Get("action") {
	case "switch":
		return l.page(func(w http.ResponseWriter, r *http.Request, _ access.Landing) error { return l.switchSide(w, r) })(w, r)
	case "enter_another":
		return l.page(l.enterAnother)(w, r)
	}
	asked, err := l.portal.Landing.Asked(r.Context(), placeOf(r.Context()), l.slot)
	if owner := l.formOwner(r); err == nil && errors.Is(limits.CheckLandingForm(owner, asked), limits.ErrFormMisplaced) {
		return l.showAsked(w, r, asked) // the question is about another account now
	}
	token, err := l.portal.Landing.AnswerAsked(r.Context(), placeOf(r.Context()), l.slot, r.PostForm.Get("action") == "replace")
	if errors.Is(err, access.LoginRequired) {
		return seeOther(w, l.path)
	}
	if err != nil {
		return err
	}
	s, err := l.portal.Sessions.Session(r.Context(), placeOf(r.Context()))
	if err != nil {
		return err
	}
	l.writeSession(w, r, token, s.EndsAt, true)
	if _, err := l.portal.Landing.Landing(r.Context(), placeOf(r.Context()), l.slot); errors.Is(err, access.LoginRequired) {
		return seeOther(w, l.otherSignIn(r)) // the person declined, and is not signed in to this side
	}
	return seeOther(w, cmp.Or(l.arriveAt(l.slot, r.PostForm.Get("return"), false), l.path))
}

// switchSide takes a person in a sandbox to its other side.
func (l landingPages) switchSide(w http.ResponseWriter, r *http.Request) error {
	ctx, device := r.Context(), deviceOf(r, widthOf(r))
	to, err := l.portal.Landing.SwitchSide(ctx, placeOf(ctx), l.slot, device, l.cookie(r, langCookie))
	if errors.Is(err, access.LoginRequired) {
		return seeOther(w, l.signInFrom(r))
	}
	if errors.Is(err, access.NotFound) { // the sandbox became a company in another tab
		here, err := l.portal.Landing.Landing(r.Context(), placeOf(r.Context()), l.slot)
		if err != nil {
			return err
		}
		return seeOther(w, here.FromOrigin+"/accounts?all=1")
	}
	if err != nil {
		return err
	}
	return l.leaveFor(w, r, to)
}

func (l landingPages) showAsked(w http.ResponseWriter, r *http.Request, asked access.Landing) error {
	visitOf(r.Context()).owner = limits.LandingOwner(asked)
	view := askedView{
		Path: l.path, New: who(asked.Member), Company: asked.Member.Company.Name, Token: l.formToken(r),
		Return: l.arriveAt(l.slot, r.URL.Query().Get("return"), false),
	}
	if here, err := l.portal.Landing.Landing(r.Context(), placeOf(r.Context()), l.slot); err == nil {
		view.Old = who(here.Member)
	} else if s, err := l.portal.Sessions.SignedIn(r.Context(), placeOf(r.Context())); err == nil {
		if view.Old, err = l.portal.Accounts.PersonLabel(r.Context(), s); err != nil {
			return err
		}
	}
	shell := l.shell(r, "", true)
	shell.Offline, shell.Query = true, "asked=1"
	if view.Return != "" {
		shell.Query += "&return=" + url.QueryEscape(view.Return)
	}
	return l.render(w, r, http.StatusOK, shell, askedPage(view))
}

// who names an account: "Li (li.lights)", or the login alone when the holder has no name.
func who(m store.Member) string {
	if m.Name != "" {
		return m.Name + " (" + m.Login + ")"
	}
	return m.Login
}
