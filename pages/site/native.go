package site

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
)

// wrapping returns the data that a page of a landing site passes to the app, beside the data of every page; nil in
// browsers.
func (l *Site) wrapping(r *http.Request, here access.Landing, token string) *components.Native {
	if l.web.Native(r).System == "" {
		return nil
	}
	m := here.Member
	return &components.Native{
		Title: m.Company.Name, First: r.URL.Path == l.path, Code: "/native/code" + l.path, Token: token,
		SignIn: l.portal.Landing.SignInTag(here),
		User: web.NativeUser{ID: m.ID, Login: m.Login, Name: m.Name, Type: m.Type, CompanyID: m.CompanyID,
			CompanyName: m.Company.Name},
	}
}

// OfferNotices makes a page offer the app's notifications, until the person has answered the offer once.
func (l *Site) OfferNotices(r *http.Request, s *components.Shell) {
	if s.Native != nil && l.web.Cookie(r, web.NoticesCookie) == "" {
		s.Native.Notices = "/native/notices" + l.path
	}
}

// SubmitNotices stores that the person has answered the offer of notifications.
func (l *Site) SubmitNotices(w http.ResponseWriter, r *http.Request) error {
	if _, err := l.Here(r); err != nil {
		return web.RefuseApp(w, r, err)
	}
	l.web.SetCookie(w, web.NoticesCookie, "1", web.YearSeconds)
	return web.WriteJSON(w, http.StatusOK, map[string]string{})
}

// SubmitAppCode gives the app that shows this side a code to redeem.
func (l *Site) SubmitAppCode(w http.ResponseWriter, r *http.Request) error {
	here, err := l.Here(r)
	if err == nil && errors.Is(core.CheckLandingForm(l.web.FormOwner(r), here), core.ErrFormMisplaced) {
		err = access.LoginRequired // another account is signed in than the one that the page shows
	}
	if err != nil {
		return web.RefuseApp(w, r, err)
	}
	code, err := l.portal.Landing.AppCode(r.Context(), web.PlaceOf(r.Context()), l.slot)
	if err != nil {
		return web.RefuseApp(w, r, err)
	}
	return web.WriteJSON(w, http.StatusOK, map[string]string{"auth_code_": code})
}

// MirrorFirst mirrors the list of accounts as well, on a side's first page: people with one account never see another
// page that lists it. The list stays as it was when the sign-in on the account site has ended.
func (l *Site) MirrorFirst(r *http.Request, here access.Landing) (string, error) {
	list, err := l.portal.Accounts.AccountsBehind(r.Context(), here)
	if err != nil {
		return "", err
	}
	keys := web.LandingMirror(r, l.slot, here)
	if len(list) > 0 {
		keys["accountList"] = web.MirrorGroups(list)
	}
	return web.Mirrored(keys), nil
}
