package pages

import (
	"errors"
	"net/http"

	"portico/portal"
)

// Every form carries, sealed in its hidden field "token", whom it was opened for. The same field is the form's CSRF token.

// session reads the browser's session, once per request. LoginRequired when there is none. A browser that shows a session's
// former cookie, because it missed the answer with the new one, gets the new one again.
func (p *Pages) session(r *http.Request) (portal.Session, error) {
	v := visitOf(r.Context())
	if v == nil || v.answer == nil {
		return p.portal.Session(r.Context(), p.sessionToken(r), placeOf(r.Context()))
	}
	if v.session == nil {
		s, renewed, err := p.portal.RenewedSession(r.Context(), p.sessionToken(r), v.place)
		v.session = &readSession{s, err}
		if err == nil && renewed != "" {
			p.setCookie(v.answer, sessionCookie, renewed, cookieSeconds(s))
		}
	}
	return v.session.session, v.session.err
}

// cookieSeconds is how long the browser keeps the cookie of a session, 0 until it is closed.
func cookieSeconds(s portal.Session) int {
	if s.Remember {
		return monthSeconds
	}
	return 0
}

// formToken is the hidden field of a page's forms: on a landing page for its account, elsewhere for the person who is signed in,
// or for nobody.
func (p *Pages) formToken(r *http.Request) string {
	if v := visitOf(r.Context()); v != nil && !v.owner.Nobody() {
		return p.sealForm(r, v.owner)
	}
	owner := portal.FormOwner{Browser: p.browserTag(r)}
	if s, err := p.session(r); err == nil && !portal.PersonOwner(s).Nobody() {
		owner = portal.PersonOwner(s)
	}
	return p.sealForm(r, owner)
}

// sealForm seals an owner once per request: a catalogue has a form for each product.
func (p *Pages) sealForm(r *http.Request, owner portal.FormOwner) string {
	if owner == (portal.FormOwner{}) {
		return ""
	}
	v := visitOf(r.Context())
	if v != nil && v.sealed != "" && v.sealedOwner == owner {
		return v.sealed
	}
	sealed, err := p.portal.SealForm(owner)
	if err != nil {
		return ""
	}
	if v != nil {
		v.sealed, v.sealedOwner = sealed, owner
	}
	return sealed
}

// browserTag tells this browser from others where nobody is signed in: by its session of a landing site, or by its id for
// verification codes; "" without either.
func (p *Pages) browserTag(r *http.Request) string {
	if id := p.knownFlow(r); id != "" {
		return p.portal.FormToken("browser " + id)
	}
	if token := p.sessionToken(r); token != "" {
		return p.portal.FormToken(token)
	}
	return ""
}

// formOwner reads whom a form was opened for; the zero owner when the form does not say.
func (p *Pages) formOwner(r *http.Request) portal.FormOwner {
	owner, _ := p.portal.OpenForm(r.PostForm.Get("token"))
	return owner
}

// ownForm says whether a form carries a token of this very browser or person.
func (p *Pages) ownForm(r *http.Request) bool {
	owner, ok := p.portal.OpenForm(r.PostForm.Get("token"))
	if !ok {
		return false
	}
	if owner.Nobody() {
		return owner.Browser == p.browserTag(r)
	}
	s, err := p.session(r)
	return err == nil && p.portal.CheckForm(r.Context(), owner, s) == nil
}

// tokened asks for the form's token where the browser did not say where the form comes from.
func (p *Pages) tokened(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if unsaid(r) && p.sessionToken(r) != "" {
			owner, ok := p.portal.OpenForm(r.PostForm.Get("token"))
			if !ok || owner.Nobody() && owner.Browser != p.browserTag(r) {
				return errNotOurs
			}
		}
		return h(w, r)
	}
}

// owned refuses a form of the account site that was opened for somebody else than who is signed in now. Landing sites compare
// their own forms, by account (see landing.page). Where nobody is signed in any more, the page itself asks to sign in.
func (p *Pages) owned(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		owner := p.formOwner(r)
		if owner.Nobody() || owner.CompanyID != 0 {
			return h(w, r)
		}
		s, err := p.session(r)
		if errors.Is(err, portal.LoginRequired) {
			return h(w, r)
		}
		if err != nil {
			return err
		}
		if err := p.portal.CheckForm(r.Context(), owner, s); errors.Is(err, portal.ErrFormMisplaced) {
			return p.misplaced(w, r, owner, s)
		}
		return h(w, r)
	}
}
