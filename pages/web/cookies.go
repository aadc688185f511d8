package web

import (
	"net/http"
	"strings"
)

// The cookies. All except LangCookie, SheetCookie and ChangedCookie are secret or sealed. Scripts can read none of
// them.
const (
	SessionCookie   = "portico_session"
	DeviceCookie    = "portico_device"    // this browser's signed id: a known device has its own rate limit
	LoginCookie     = "portico_login"     // the phone or login to fill in, sealed
	ShareCookie     = "portico_share"     // the parameters u and c of a shared link
	SheetCookie     = "portico_sheet"     // the version of the style sheet that this browser has
	companyCookie   = "portico_company"   // dev only: the last ?companyId=
	FlowCookie      = "portico_flow"      // this browser's id for verification codes
	ForgetCookie    = "portico_forget"    // the account name whose password is being reset, sealed
	TypedCookie     = "portico_typed"     // the phone that was typed to sign in, for "forgot password", sealed
	DoneCookie      = "portico_done"      // the flash message
	ApplicantCookie = "portico_applicant" // the phone that an applicant has verified at a company, sealed
	IdentityCookie  = "portico_identity"  // the chat identity that is not connected yet, sealed
	LinkingCookie   = "portico_linking"   // the account to connect, until the person confirms it, sealed
	KnownCookie     = "portico_chat"      // the chat app that this browser has signed in with
	SilentCookie    = "portico_silent"    // no silent sign-in in WeCom for a while
	NoticesCookie   = "portico_notices"   // the person has answered the offer of notifications in the app
	ChangedCookie   = "portico_changed"   // when this browser changed something last, see AllowReplica
	WayCookie       = "portico_way"       // "code" when this browser signed in by a code last
	LangCookie      = "lang"
)

// The lifetimes of cookies, in seconds.
const (
	MinuteSeconds = 60
	SilentSeconds = 10 * MinuteSeconds
	TypedSeconds  = 10 * MinuteSeconds
	DaySeconds    = 24 * 60 * 60
	monthSeconds  = 30 * 24 * 60 * 60
	YearSeconds   = 365 * 24 * 60 * 60
)

// cookieName adds the prefix __Host- in production: browsers then refuse a cookie of the same name from another host.
func (p *Requests) cookieName(name string) string {
	if p.production && strings.HasPrefix(name, "portico_") {
		return "__Host-" + name
	}
	return name
}

// SetCookie sets a cookie for this host alone. With seconds 0 it ends with the browser.
func (p *Requests) SetCookie(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, p.NewCookie(name, value, seconds))
}

// NewCookie returns a cookie for this host that scripts cannot read.
func (p *Requests) NewCookie(name, value string, seconds int) *http.Cookie {
	return &http.Cookie{
		Name:     p.cookieName(name),
		Value:    value,
		Path:     "/",
		MaxAge:   seconds,
		Secure:   p.production,
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	}
}

// DropCookie deletes a cookie.
func (p *Requests) DropCookie(w http.ResponseWriter, name string) { p.SetCookie(w, name, "", -1) }

// Cookie returns the value of a cookie, "" for none.
func (p *Requests) Cookie(r *http.Request, name string) string {
	return cookieValue(r, p.cookieName(name))
}

// cookieValue returns the value of the cookie with exactly this name, "" for none. The name includes its prefix.
func cookieValue(r *http.Request, name string) string {
	if len(r.Header["Cookie"]) == 0 {
		return ""
	}
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}
