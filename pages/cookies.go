package pages

import (
	"net/http"
	"strings"
)

// The cookies. All except langCookie and sheetCookie are secret or sealed. Scripts can read none of them.
const (
	sessionCookie   = "portico_session"
	deviceCookie    = "portico_device"    // this browser's signed id: a known device has its own rate limit
	loginCookie     = "portico_login"     // the phone or login to fill in, sealed
	shareCookie     = "portico_share"     // the parameters u and c of a shared link
	sheetCookie     = "portico_sheet"     // the version of the style sheet that this browser has
	companyCookie   = "portico_company"   // dev only: the last ?companyId=
	flowCookie      = "portico_flow"      // this browser's id for verification codes
	forgetCookie    = "portico_forget"    // the account name whose password is being reset, sealed
	doneCookie      = "portico_done"      // the flash message
	applicantCookie = "portico_applicant" // the phone that an applicant has proven to a company, sealed
	identityCookie  = "portico_identity"  // the chat identity that is not connected yet, sealed
	linkingCookie   = "portico_linking"   // the account to connect, until the person confirms it, sealed
	knownCookie     = "portico_chat"      // the chat app that this browser has signed in with
	silentCookie    = "portico_silent"    // no silent sign-in in work-chat for a while
	noticesCookie   = "portico_notices"   // the person has answered the offer of notifications in the app
	langCookie      = "lang"
)

// The lifetimes of cookies, in seconds.
const (
	minuteSeconds = 60
	silentSeconds = 10 * minuteSeconds
	daySeconds    = 24 * 60 * 60
	monthSeconds  = 30 * 24 * 60 * 60
	yearSeconds   = 365 * 24 * 60 * 60
)

// cookieName adds the prefix __Host- in production: browsers then refuse a cookie of the same name from another host.
func (p *Pages) cookieName(name string) string {
	if p.production && strings.HasPrefix(name, "portico_") {
		return "__Host-" + name
	}
	return name
}

// setCookie sets a cookie for this host alone. With seconds 0 it ends with the browser.
func (p *Pages) setCookie(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, p.newCookie(name, value, seconds))
}

// newCookie returns a cookie for this host that scripts cannot read.
func (p *Pages) newCookie(name, value string, seconds int) *http.Cookie {
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

// dropCookie deletes a cookie.
func (p *Pages) dropCookie(w http.ResponseWriter, name string) { p.setCookie(w, name, "", -1) }

// cookie returns the value of a cookie, "" for none.
func (p *Pages) cookie(r *http.Request, name string) string {
	return cookieValue(r, p.cookieName(name))
}

// cookieValue is cookie for a name that has its prefix already.
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
