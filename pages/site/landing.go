package site

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
)

// askedView is the page that asks before an account is signed in to a side. Old is the account that it would replace,
// "" for none.
type askedView struct {
	Path     string
	Old, New string
	Company  string // of the new account
	Return   string // the path to open after a yes, "" for the first page
	Token    string
}

// ShowLanding answers GET at the path of the site: it redeems a one-time code, asks before a session is replaced, or
// shows the first page of the shop or back office.
func (l *Site) ShowLanding(
	first func(http.ResponseWriter, *http.Request) error,
) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error { return l.showLanding(w, r, first) }
}

func (l *Site) showLanding(
	w http.ResponseWriter, r *http.Request, first func(http.ResponseWriter, *http.Request) error,
) error {
	if code := r.URL.Query().Get("auth_code_"); code != "" && r.Method == http.MethodHead {
		return web.SeeOther(w, l.path) // link previews send HEAD and must not use up the code
	} else if code != "" {
		return l.redeem(w, r, code, first)
	}
	if r.URL.Query().Has("asked") {
		asked, err := l.portal.Landing.Asked(r.Context(), web.PlaceOf(r.Context()), l.slot)
		if err == nil {
			return l.showAsked(w, r, asked)
		}
	}
	if back := r.URL.Query().Get("return"); back != "" {
		return l.Page(func(w http.ResponseWriter, r *http.Request, _ access.Landing) error {
			return web.SeeOther(w, cmp.Or(l.web.ArriveAt(l.slot, back, false), l.path))
		})(w, r)
	}
	return first(w, r)
}

// redeem redeems the code. A browser that opens the page gets the page at once, whose first lines remove the code from
// the address. Programs and browsers that do not say what they request are redirected to an address without the code.
func (l *Site) redeem(
	w http.ResponseWriter, r *http.Request, code string, first func(http.ResponseWriter, *http.Request) error,
) error {
	w.Header().Set("Referrer-Policy", "no-referrer")
	result, err := l.portal.Landing.Redeem(r.Context(), signin.RedeemInput{
		Code: code, Place: web.PlaceOf(r.Context()), Slot: l.slot, Foreign: l.web.IsForeign(r),
		Opens: opensPage(r),
	})
	if web.IsRefusal(err, access.RedirectFailed) {
		return web.SeeOther(w, "/jumperror")
	}
	if err != nil {
		return err
	}
	l.web.WriteSession(w, r, result.Token, result.EndsAt, true)
	var cookies []*http.Cookie
	if lang, ok := locale.Match(result.Lang); ok {
		cookies = append(cookies, l.web.NewCookie(web.LangCookie, string(lang), web.YearSeconds))
		http.SetCookie(w, cookies[0])
	}
	if result.Asked {
		asking := l.path + "?asked=1"
		if result.Return != "" {
			asking = web.WithReturn(asking, result.Return)
		}
		return web.SeeOther(w, asking)
	}
	if result.Notice != "" {
		done := l.web.NewCookie(web.DoneCookie, result.Notice, web.MinuteSeconds)
		cookies = append(cookies, done)
		http.SetCookie(w, done)
	}
	if result.Return == "" && opensPage(r) {
		repeated, err := l.web.RepeatRequest(r, result.Token, cookies...)
		if err == nil {
			return l.showLanding(w, repeated, first)
		}
	}
	to := cmp.Or(result.Return, l.path)
	if r.Header.Get("Sec-Fetch-Site") == "" && len(r.Header["Cookie"]) == 0 {
		to = web.WithLanded(to)
	}
	return web.SeeOther(w, to)
}

// opensPage reports whether a browser says that it opens the page in a tab.
func opensPage(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// SubmitLanding answers POST at the path of the site: the answer to the question before a session is replaced, or a
// change of side or account.
func (l *Site) SubmitLanding(w http.ResponseWriter, r *http.Request) error {
	switch r.PostForm.Get("action") {
	case "switch":
		return l.Page(func(w http.ResponseWriter, r *http.Request, _ access.Landing) error {
			return l.switchSide(w, r)
		})(w, r)
	case "enter_another":
		return l.Page(l.EnterAnother)(w, r)
	}
	asked, err := l.portal.Landing.Asked(r.Context(), web.PlaceOf(r.Context()), l.slot)
	if owner := l.web.FormOwner(r); err == nil &&
		errors.Is(core.CheckLandingForm(owner, asked), core.ErrFormMisplaced) {
		return l.showAsked(w, r, asked) // the question is about another account now
	}
	token, err := l.portal.Landing.AnswerAsked(r.Context(), web.PlaceOf(r.Context()), l.slot,
		r.PostForm.Get("action") == "replace")
	if errors.Is(err, access.LoginRequired) {
		return web.SeeOther(w, l.path)
	}
	if err != nil {
		return err
	}
	s, err := l.portal.Core.Sessions.Session(r.Context(), web.PlaceOf(r.Context()))
	if err != nil {
		return err
	}
	l.web.WriteSession(w, r, token, s.EndsAt, true)
	if _, err := l.portal.Landing.Landing(r.Context(), web.PlaceOf(r.Context()), l.slot); errors.Is(err,
		access.LoginRequired) {
		return web.SeeOther(w, l.web.OtherSignIn(r)) // the person declined, and is not signed in to this side
	}
	return web.SeeOther(w, cmp.Or(l.web.ArriveAt(l.slot, r.PostForm.Get("return"), false), l.path))
}

// switchSide takes a person in a sandbox to its other side.
func (l *Site) switchSide(w http.ResponseWriter, r *http.Request) error {
	ctx, device := r.Context(), web.DeviceOf(r, web.WidthOf(r))
	to, err := l.portal.Landing.SwitchSide(ctx, web.PlaceOf(ctx), l.slot, device,
		l.web.Cookie(r, web.LangCookie))
	if errors.Is(err, access.LoginRequired) {
		return web.SeeOther(w, l.SignInFrom(r))
	}
	if errors.Is(err, access.NotFound) { // the sandbox became a company in another tab
		here, err := l.portal.Landing.Landing(r.Context(), web.PlaceOf(r.Context()), l.slot)
		if err != nil {
			return err
		}
		return web.SeeOther(w, here.FromOrigin+"/accounts?all=1")
	}
	if err != nil {
		return err
	}
	return l.web.LeaveFor(w, r, to)
}

func (l *Site) showAsked(w http.ResponseWriter, r *http.Request, asked access.Landing) error {
	web.VisitOf(r.Context()).Owner = core.LandingOwner(asked)
	view := askedView{
		Path: l.path, New: web.AccountLabel(asked.Member), Company: asked.Member.Company.Name,
		Token:  l.web.FormToken(r),
		Return: l.web.ArriveAt(l.slot, r.URL.Query().Get("return"), false),
	}
	if here, err := l.portal.Landing.Landing(r.Context(), web.PlaceOf(r.Context()), l.slot); err == nil {
		view.Old = web.AccountLabel(here.Member)
	} else if s, err := l.portal.Core.Sessions.SignedIn(r.Context(), web.PlaceOf(r.Context())); err == nil {
		if view.Old, err = l.portal.Accounts.PersonLabel(r.Context(), s); err != nil {
			return err
		}
	}
	shell := l.web.Shell(r, "", true)
	shell.Offline, shell.Query = true, "asked=1"
	if view.Return != "" {
		shell.Query += "&return=" + url.QueryEscape(view.Return)
	}
	return l.web.Render(w, r, http.StatusOK, shell, askedPage(view))
}
