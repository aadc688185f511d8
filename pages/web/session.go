package web

import (
	"net/http"
	"slices"
	"time"

	"github.com/alexedwards/scs/v2"

	"portico/locale"
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
	return r.WithContext(p.core.Sessions.LoadSession(r.Context(), p.SessionToken(r)))
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
		s, renewed, err := p.core.Sessions.RenewedSession(r.Context(), v.Place)
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
	p.sessions.WriteSessionCookie(ctx, w, cookie, time.Now().Add(p.core.Sessions.Until(ends)))
	w.Header().Del("Cache-Control") // the manager has set it; each page sets its own
}

// RepeatRequest returns the request as the browser would send it after this response, at the same path without a query.
// The arguments are the new values of cookies that the response sets. It saves a redirect.
func (p *Requests) RepeatRequest(r *http.Request, session string, cookies ...*http.Cookie) (*http.Request, error) {
	visit := VisitOf(r.Context())
	visit.session, visit.IsRepeated = nil, true
	ctx, err := p.core.Sessions.WithNewCookie(r.Context(), session)
	if err != nil {
		return nil, err
	}
	repeated := r.Clone(ctx)
	repeated.URL.RawQuery = ""
	repeated.Header.Del("Cookie")
	cookies = append(cookies, p.NewCookie(SessionCookie, session, 0))
	for _, old := range r.Cookies() {
		isOld := func(set *http.Cookie) bool { return set.Name == old.Name }
		if !slices.ContainsFunc(cookies, isOld) {
			repeated.AddCookie(old)
		}
	}
	for _, set := range cookies {
		repeated.AddCookie(set)
		if lang, ok := locale.Match(set.Value); ok && set.Name == LangCookie {
			visit.Lang = lang
			repeated = repeated.WithContext(locale.With(repeated.Context(), lang))
		}
	}
	return repeated, nil
}

// DropSession removes the session's cookie.
func (p *Requests) DropSession(w http.ResponseWriter, r *http.Request) {
	p.sessions.WriteSessionCookie(p.WithSession(r).Context(), w, "", time.Time{})
	w.Header().Del("Cache-Control")
}
