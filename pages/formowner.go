package pages

import (
	"errors"
	"net/http"
	"strings"

	"portico/portal/access"
	"portico/portal/limits"
)

// Every form has a hidden field "token". It contains, sealed, the person or account that the form was opened for (see
// limits.FormOwner). The same field is the form's CSRF token.

// formToken returns the hidden field of a page's forms. On a landing page the owner is the page's account; elsewhere it
// is the person who is signed in, or only the browser when nobody is.
func (p *Pages) formToken(r *http.Request) string {
	if v := visitOf(r.Context()); v != nil && !v.owner.Nobody() {
		return p.sealForm(r, v.owner)
	}
	owner := limits.FormOwner{Browser: p.browserTag(r)}
	if s, err := p.session(r); err == nil && !limits.PersonOwner(s).Nobody() {
		owner = limits.PersonOwner(s)
	}
	return p.sealForm(r, owner)
}

// sealForm seals an owner once per request, because a catalogue has a form for each product.
func (p *Pages) sealForm(r *http.Request, owner limits.FormOwner) string {
	if owner == (limits.FormOwner{}) {
		return ""
	}
	v := visitOf(r.Context())
	if v != nil && v.sealed != "" && v.sealedOwner == owner {
		return v.sealed
	}
	sealed, err := p.portal.Limits.SealForm(owner)
	if err != nil {
		return ""
	}
	if v != nil {
		v.sealed, v.sealedOwner = sealed, owner
	}
	return sealed
}

// browserTag identifies this browser when nobody is signed in: by its id for verification codes, or by the cookie of a
// session without a person; "" without either.
func (p *Pages) browserTag(r *http.Request) string {
	if id := p.knownFlow(r); id != "" {
		return p.portal.Sessions.BrowserTag("browser " + id)
	}
	if token := p.sessionToken(r); token != "" {
		return p.portal.Sessions.BrowserTag(token)
	}
	return ""
}

// formOwner reads the owner of a form; the zero owner when the form has no valid token.
func (p *Pages) formOwner(r *http.Request) limits.FormOwner {
	owner, _ := p.portal.Limits.OpenForm(r.PostForm.Get("token"))
	return owner
}

// ownForm reports whether a form was opened for the person who is signed in, or by this browser when nobody was.
func (p *Pages) ownForm(r *http.Request) bool {
	owner, ok := p.portal.Limits.OpenForm(r.PostForm.Get("token"))
	if !ok {
		return false
	}
	if owner.Nobody() {
		return owner.Browser == p.browserTag(r)
	}
	s, err := p.session(r)
	return err == nil && p.portal.Limits.CheckForm(r.Context(), owner, s) == nil
}

// requireToken refuses a form without a valid token when the browser did not say which site the form comes from.
func (p *Pages) requireToken(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if noOrigin(r) && p.sessionToken(r) != "" {
			carries, err := p.carriesToken(r)
			if err != nil {
				return err
			}
			if !carries {
				return errCrossOrigin
			}
		}
		return h(w, r)
	}
}

// carriesToken reports whether a form has a token of this browser or person. Another person's token passes only where
// the handler compares it and answers 409: an attacker has a valid token of their own and can put it into a form on
// another site.
func (p *Pages) carriesToken(r *http.Request) (bool, error) {
	owner, ok := p.portal.Limits.OpenForm(r.PostForm.Get("token"))
	if !ok || owner.Nobody() {
		return ok && owner.Browser == p.browserTag(r), nil
	}
	s, err := p.session(r)
	if errors.Is(err, access.LoginRequired) { // nobody is signed in: the page asks to sign in
		return true, nil
	}
	if err != nil {
		return false, err
	}
	err = p.portal.Limits.CheckForm(r.Context(), owner, s)
	switch {
	case errors.Is(err, limits.ErrFormMisplaced):
		return owner.CompanyID == 0 || comparesAccount(r.URL.Path) || r.URL.Path == "/logout", nil
	case errors.Is(err, access.LoginRequired):
		return comparesAccount(r.URL.Path) || owner.CompanyID != 0 && limits.PersonOwner(s).Nobody(), nil
	}
	return err == nil, err
}

// comparesAccount reports whether a path belongs to a landing site, whose pages compare the account of a form
// themselves.
func comparesAccount(path string) bool {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/native/code"), "/native/notices")
	for _, base := range bases {
		if rest, ok := strings.CutPrefix(path, base); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// checkOwner answers a form of the account site that was opened for another person than the one who is signed in now:
// see misplaced. Landing sites compare the accounts of their own forms, in landingPages.page. When nobody is signed in
// any more, the form's own handler redirects to the sign-in page.
func (p *Pages) checkOwner(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		owner := p.formOwner(r)
		if owner.Nobody() || owner.CompanyID != 0 {
			return h(w, r)
		}
		s, err := p.session(r)
		if errors.Is(err, access.LoginRequired) {
			return h(w, r)
		}
		if err != nil {
			return err
		}
		if err := p.portal.Limits.CheckForm(r.Context(), owner, s); errors.Is(err, limits.ErrFormMisplaced) {
			return p.misplaced(w, r, owner, s)
		}
		return h(w, r)
	}
}
