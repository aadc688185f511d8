package pages

import (
	"errors"
	"net/http"
	"strings"

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
			if ours, err := p.carriesOurToken(r); err != nil {
				return err
			} else if !ours {
				return errNotOurs
			}
		}
		return h(w, r)
	}
}

// carriesOurToken says whether a form carries a token of this browser or person. A token of somebody else passes only
// where the page compares it and answers 409: anybody can get a token of their own and put it into a form on another
// site.
func (p *Pages) carriesOurToken(r *http.Request) (bool, error) {
	owner, ok := p.portal.OpenForm(r.PostForm.Get("token"))
	if !ok || owner.Nobody() {
		return ok && owner.Browser == p.browserTag(r), nil
	}
	s, err := p.session(r)
	if errors.Is(err, portal.LoginRequired) { // nobody is signed in: the page asks to sign in
		return true, nil
	}
	if err != nil {
		return false, err
	}
	err = p.portal.CheckForm(r.Context(), owner, s)
	switch {
	case errors.Is(err, portal.ErrFormMisplaced):
		return owner.CompanyID == 0 || comparesAccount(r.URL.Path) || r.URL.Path == "/logout", nil
	case errors.Is(err, portal.LoginRequired):
		return comparesAccount(r.URL.Path) || owner.CompanyID != 0 && portal.PersonOwner(s).Nobody(), nil
	}
	return err == nil, err
}

// comparesAccount says whether a path is one of a landing site's pages, which compare the account of a form themselves.
func comparesAccount(path string) bool {
	path = strings.TrimPrefix(path, "/native/code")
	for _, base := range bases {
		if rest, ok := strings.CutPrefix(path, base); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
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
