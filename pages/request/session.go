package request

import (
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"portico/portal/access"
	"portico/store"
)

// The session manager (scs) carries the browser's session: WithSession loads it into the request's context, portal's
// operations read and commit it, WriteSession writes the cookie. The manager's LoadAndSave is not used: it would commit
// after the operation's own transaction, and add headers to the cached pages that visitors share.

// SessionCookieOf returns the settings of the session's cookie. The cookie ends with the browser, unless the person
// asked to be remembered.
func (p *Requests) SessionCookieOf() scs.SessionCookie {
	return scs.SessionCookie{
		Name: p.cookieName(SessionCookie), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: p.production, Persist: false,
	}
}

// SessionToken reads the session cookie; "" for none, and for a request with two cookies of that name, because it is
// unknown which one this host has set.
func (p *Requests) SessionToken(r *http.Request) string {
	cookies := r.CookiesNamed(p.sessions.Cookie.Name)
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

// WithSession returns the request with the session of its cookie in the context. It reads the session once: a request
// that has it already stays as it is.
func (p *Requests) WithSession(r *http.Request) *http.Request {
	if VisitOf(r.Context()) == nil { // the host is unknown
		return r
	}
	return r.WithContext(p.portal.Sessions.LoadSession(r.Context(), p.SessionToken(r)))
}

// Session returns the browser's session; LoginRequired when there is none. A browser that sends the session's former
// cookie, because it missed the response with the new one, gets the new cookie again.
func (p *Requests) Session(r *http.Request) (access.Session, error) {
	v := VisitOf(r.Context())
	if v == nil {
		return access.Session{}, access.LoginRequired
	}
	if v.session == nil {
		r = p.WithSession(r)
		s, renewed, err := p.portal.Sessions.RenewedSession(r.Context(), v.Place)
		v.session = &readSession{s, err}
		if renewed != "" {
			p.WriteSession(v.Answer, r, renewed, s.EndsAt, s.Remember)
		}
	}
	return v.session.session, v.session.err
}

// WriteSession sets the session's cookie. remember keeps it until the session ends, even if the browser is closed.
func (p *Requests) WriteSession(
	w http.ResponseWriter, r *http.Request, cookie string, ends store.Instant, remember bool,
) {
	ctx := p.WithSession(r).Context()
	p.sessions.RememberMe(ctx, remember)
	p.sessions.WriteSessionCookie(ctx, w, cookie, time.Now().Add(p.portal.Sessions.Until(ends)))
	w.Header().Del("Cache-Control") // the manager has set it; each page sets its own
}

// DropSession removes the session's cookie.
func (p *Requests) DropSession(w http.ResponseWriter, r *http.Request) {
	p.sessions.WriteSessionCookie(p.WithSession(r).Context(), w, "", time.Time{})
	w.Header().Del("Cache-Control")
}
