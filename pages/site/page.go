package site

import (
	"errors"
	"net/http"

	"portico/locale"
	"portico/pages/forms"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// LandedFile is an uploads.FileHandler of a landing page.
type LandedFile func(w http.ResponseWriter, r *http.Request, here access.Landing, f *uploads.FormFile) error

// withFile does what Page does, for a form that may have a file.
func (l *Site) withFile(h LandedFile) uploads.FileHandler {
	return func(w http.ResponseWriter, r *http.Request, f *uploads.FormFile) error {
		return l.Page(func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
			return h(w, r, here, f)
		})(w, r)
	}
}

// Landed handles a request of an account that is signed in to the side.
type Landed func(w http.ResponseWriter, r *http.Request, here access.Landing) error

// IsShop reports whether the site is the shop, on desktop or on phones.
func (l *Site) IsShop() bool { return l.slot == store.MobileShop || l.slot == store.PCShop }

// Page requires an account that is signed in to the side, and redirects to the sign-in page without one. It answers a
// form that was opened for another account: see Misplaced.
func (l *Site) Page(show Landed) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		here, err := l.Here(r)
		if errors.Is(err, access.LoginRequired) && r.Method == http.MethodGet && web.CookiesBlocked(r) {
			return err
		}
		if errors.Is(err, access.LoginRequired) {
			w.Header().Set("Clear-Site-Data", `"storage"`) // the browser's copy of the account
			signIn := l.SignInFrom(r)
			if wanted := web.DeepLink(r); r.Method == http.MethodGet && wanted != l.path {
				signIn = web.WithReturn(signIn, wanted)
			}
			return l.web.SignInAgain(w, r, l.web.OtherSignIn(r), signIn)
		}
		if err != nil {
			return err
		}
		if r.Method != http.MethodPost {
			l.web.AllowReplica(r)
		}
		web.NoteCompany(r.Context(), here.Member.Company)
		if r.Method == http.MethodPost {
			if owner := l.web.FormOwner(r); errors.Is(core.CheckLandingForm(owner, here), core.ErrFormMisplaced) {
				return l.Misplaced(w, l.inTheirLanguage(r, here.Member.Company), owner, here)
			}
		}
		return show(w, l.inTheirLanguage(r, here.Member.Company), here)
	}
}

// SignInFrom returns the address of the sign-in page for a person who is not signed in to the side. It says that their
// session has ended, unless the browser never had one here.
func (l *Site) SignInFrom(r *http.Request) string {
	if l.web.SessionToken(r) == "" {
		return l.web.OtherSignIn(r)
	}
	return l.web.OtherSignIn(r) + "?done=session_ended"
}

// Here reads the account that the browser is signed in to on the side, and makes it the owner of the page's forms.
func (l *Site) Here(r *http.Request) (access.Landing, error) {
	s, err := l.web.Session(r)
	if err != nil {
		return access.Landing{}, err
	}
	here, err := l.portal.Landing.LandingOf(r.Context(), s, l.slot)
	if err == nil {
		web.VisitOf(r.Context()).Owner = core.LandingOwner(here)
	}
	return here, err
}

// inTheirLanguage shows the page in the language of the account's company unless the person chose a language. The
// mobile hosts serve all companies, so the host does not decide the language there.
func (l *Site) inTheirLanguage(r *http.Request, c store.Company) *http.Request {
	lang, known := locale.Match(c.Language)
	if _, chosen := locale.Match(l.web.Cookie(r, web.LangCookie)); chosen || !known ||
		r.URL.Query().Has("lang") || r.PostForm.Has("lang") {
		return r
	}
	return r.WithContext(locale.With(r.Context(), lang))
}

// SettingForm returns an empty form of a setting that posts to the page itself.
func (l *Site) SettingForm(r *http.Request) forms.SettingForm {
	return forms.SettingForm{Path: r.URL.Path, Token: l.web.FormToken(r),
		SummaryHeading: locale.T(r.Context(), "summary.heading")}
}
