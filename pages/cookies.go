package pages

import (
	"net/http"
	"strings"
)

// The cookies. All but lang and the sheet's are secrets or sealed; none is readable by scripts.
const (
	sessionCookie   = "portico_session"
	deviceCookie    = "portico_device"    // this browser's signed id: known devices keep a budget of their own
	loginCookie     = "portico_login"     // the phone or login to fill in, sealed
	shareCookie     = "portico_share"     // u and c
	sheetCookie     = "portico_sheet"     // the version of the style sheet this browser was given
	companyCookie   = "portico_company"   // dev only: ?companyId= remembered on this machine
	flowCookie      = "portico_flow"      // this browser's id for the codes it asks for
	forgetCookie    = "portico_forget"    // the account name whose password is being reset, sealed
	doneCookie      = "portico_done"      // what has just happened on the way here, to be said once
	applicantCookie = "portico_applicant" // the phone proven to a company one applies to, sealed
	identityCookie  = "portico_identity"  // who a chat app says one is, until that signs somebody in, sealed
	linkingCookie   = "portico_linking"   // the account that is to be linked, until the person says yes, sealed
	knownCookie     = "portico_chat"      // this browser has come back from a chat app before
	silentCookie    = "portico_silent"    // the form is shown in work-chat, too: it was asked by itself, or is not to be
	noticesCookie   = "portico_notices"   // the person has answered the offer of notifications in the app
	langCookie      = "lang"

	minuteSeconds = 60
	silentSeconds = 10 * minuteSeconds
	daySeconds    = 24 * 60 * 60
	monthSeconds  = 30 * 24 * 60 * 60
	yearSeconds   = 365 * 24 * 60 * 60
)

// cookieName adds the prefix by which browsers refuse a same-named cookie of a sibling host.
func (p *Pages) cookieName(name string) string {
	if p.production && strings.HasPrefix(name, "portico_") {
		return "__Host-" + name
	}
	return name
}

// setCookie sets a cookie for this host alone; seconds 0 ends with the browser.
func (p *Pages) setCookie(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, p.newCookie(name, value, seconds))
}

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

func (p *Pages) dropCookie(w http.ResponseWriter, name string) { p.setCookie(w, name, "", -1) }

func (p *Pages) cookie(r *http.Request, name string) string {
	return cookieValue(r, p.cookieName(name))
}

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
