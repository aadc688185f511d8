package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal"
	"portico/store"
)

// landing is one side's page on its host: it takes the one-time code, then shows who one is.
type landing struct {
	*Pages
	path string
	slot store.Slot
}

// landView is a landing page: small, but real.
type landView struct {
	Name       string
	Side       string
	Facts      []fact
	Trial      string
	SwitchHref string
}

type fact struct{ Name, Value string }

// askedView asks before one account replaces another.
type askedView struct {
	Path     string
	Old, New string
	Token    string
}

func (l landing) show(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Referrer-Policy", "no-referrer")
	if code := r.URL.Query().Get("auth_code_"); code != "" {
		return l.redeem(w, r, code)
	}
	token, place := l.sessionToken(r), placeOf(r.Context())
	if r.URL.Query().Has("asked") {
		asked, err := l.portal.Asked(r.Context(), token, place, l.slot)
		if err == nil {
			return l.showAsked(w, r, token, asked)
		}
	}
	here, err := l.portal.Landing(r.Context(), token, place, l.slot)
	if errors.Is(err, portal.LoginRequired) {
		w.Header().Set("Clear-Site-Data", `"storage"`) // the mirror of a side that was left elsewhere
		return seeOther(w, l.otherSignIn(r)+"?done=session_ended")
	}
	if err != nil {
		return err
	}
	r = l.inTheirLanguage(r, here.Member.Company)
	return l.render(w, r, http.StatusOK, l.landShell(r, here, token), landPage(l.view(r, here)))
}

// inTheirLanguage puts the page into the language of the account's company unless another was chosen: the
// mobile hosts have no company of their own.
func (l landing) inTheirLanguage(r *http.Request, c store.Company) *http.Request {
	lang, known := locale.Match(c.Language)
	if _, chosen := locale.Match(l.cookie(r, langCookie)); chosen || !known || r.URL.Query().Has("lang") {
		return r
	}
	return r.WithContext(locale.With(r.Context(), lang))
}

// redeem takes the code and drops it from the address at once (requirement 80).
func (l landing) redeem(w http.ResponseWriter, r *http.Request, code string) error {
	result, err := l.portal.Redeem(r.Context(), portal.RedeemInput{Code: code, Place: placeOf(r.Context()), Slot: l.slot, Token: l.sessionToken(r)})
	if isRefusal(err, portal.RedirectFailed) {
		return seeOther(w, "/jumperror")
	}
	if err != nil {
		return err
	}
	l.setCookie(w, sessionCookie, result.Token, monthSeconds)
	if lang, ok := locale.Match(result.Lang); ok {
		l.setCookie(w, langCookie, string(lang), yearSeconds)
	}
	if result.Asked {
		return seeOther(w, l.path+"?asked=1")
	}
	return seeOther(w, l.path)
}

func (l landing) submit(w http.ResponseWriter, r *http.Request) error {
	token, err := l.portal.AnswerAsked(r.Context(), l.sessionToken(r), placeOf(r.Context()), l.slot, r.PostForm.Get("action") == "replace")
	if errors.Is(err, portal.LoginRequired) {
		return seeOther(w, l.path)
	}
	if err != nil {
		return err
	}
	l.setCookie(w, sessionCookie, token, monthSeconds)
	if _, err := l.portal.Landing(r.Context(), token, placeOf(r.Context()), l.slot); errors.Is(err, portal.LoginRequired) {
		return seeOther(w, l.otherSignIn(r)) // kept what one had, which is not this side
	}
	return seeOther(w, l.path)
}

func (l landing) showAsked(w http.ResponseWriter, r *http.Request, token string, asked portal.Landing) error {
	view := askedView{Path: l.path, New: who(asked.Member), Token: l.portal.FormToken(token)}
	if here, err := l.portal.Landing(r.Context(), token, placeOf(r.Context()), l.slot); err == nil {
		view.Old = who(here.Member)
	} else if s, err := l.portal.SignedIn(r.Context(), token, placeOf(r.Context())); err == nil {
		if view.Old, err = l.portal.Who(r.Context(), s); err != nil {
			return err
		}
	}
	if view.Old == "" {
		view.Old = locale.T(r.Context(), "asked.another")
	}
	return l.render(w, r, http.StatusOK, l.shell(r, "", true), askedPage(view))
}

func (l landing) landShell(r *http.Request, here portal.Landing, token string) components.Shell {
	s := l.shell(r, here.Member.Company.Name, true)
	s.Company, s.Icon, s.Theme = here.Member.Company.Name, ownIcon(here.Member.Company.IconURL), here.Member.Company.Theme
	s.Style = components.StyleFor(s.Theme, l.hasSheet(r), true)
	s.Wide, s.SignOut, s.Mirror = true, &components.SignOut{Token: l.portal.FormToken(token)}, mirrorLanding(r, l.slot, here)
	return s
}

func (l landing) view(r *http.Request, here portal.Landing) landView {
	ctx, m := r.Context(), here.Member
	phone := portal.MaskPhone(m.Phone)
	if phone == "" {
		phone = locale.T(ctx, "land.no_phone")
	}
	v := landView{Name: m.Name, Side: string(m.Side), SwitchHref: here.FromOrigin + "/accounts?all=1"}
	if v.Name == "" {
		v.Name = m.Login
	}
	v.Facts = []fact{
		{locale.T(ctx, "land.company"), m.Company.Name}, {locale.T(ctx, "land.login"), m.Login},
		{locale.T(ctx, "land.role"), locale.T(ctx, "type."+typeName(m.Type))}, {locale.T(ctx, "land.phone"), phone},
	}
	if m.ClientName != "" {
		v.Facts = append(v.Facts, fact{locale.T(ctx, "land.client"), m.ClientName})
	}
	if here.DaysLeft > 0 {
		v.Trial = locale.T(ctx, "land.trial", "num", here.DaysLeft, "who", m.Company.ManagerName+" "+components.GroupPhone(m.Company.ManagerPhone))
	}
	return v
}

// who names an account: its holder, or its login.
func who(m store.Member) string {
	if m.Name != "" {
		return m.Name + " (" + m.Login + ")"
	}
	return m.Login
}
