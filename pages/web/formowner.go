package web

import (
	"errors"
	"net/http"
	"strings"

	"portico/portal/access"
	"portico/portal/core"
)

// Every form has a hidden field "token". It contains, sealed, the person or account that the form was opened for (see
// core.FormOwner). The same field is the form's CSRF token.

// FormToken returns the hidden field of a page's forms. On a landing page the owner is the page's account; elsewhere it
// is the person who is signed in, or only the browser when nobody is.
func (p *Web) FormToken(r *http.Request) string {
	if v := VisitOf(r.Context()); v != nil && !v.Owner.Nobody() {
		return p.sealForm(r, v.Owner)
	}
	owner := core.FormOwner{Browser: p.browserTag(r)}
	if s, err := p.Session(r); err == nil && !core.PersonOwner(s).Nobody() {
		owner = core.PersonOwner(s)
	}
	return p.sealForm(r, owner)
}

// sealForm seals an owner once per request, because a catalogue has a form for each product.
func (p *Web) sealForm(r *http.Request, owner core.FormOwner) string {
	if owner == (core.FormOwner{}) {
		return ""
	}
	v := VisitOf(r.Context())
	if v != nil && v.Sealed != "" && v.SealedOwner == owner {
		return v.Sealed
	}
	sealed, err := p.core.Limits.SealForm(owner)
	if err != nil {
		return ""
	}
	if v != nil {
		v.Sealed, v.SealedOwner = sealed, owner
	}
	return sealed
}

// browserTag identifies this browser when nobody is signed in: by its id for verification codes, or by the cookie of a
// session without a person; "" without either.
func (p *Web) browserTag(r *http.Request) string {
	if id := p.KnownFlow(r); id != "" {
		return p.core.Sessions.BrowserTag("browser " + id)
	}
	if token := p.SessionToken(r); token != "" {
		return p.core.Sessions.BrowserTag(token)
	}
	return ""
}

// FormOwner reads the owner of a form; the zero owner when the form has no valid token.
func (p *Web) FormOwner(r *http.Request) core.FormOwner {
	owner, _ := p.core.Limits.OpenForm(r.PostForm.Get("token"))
	return owner
}

// ownForm reports whether a form was opened for the person who is signed in, or by this browser when nobody was.
func (p *Web) ownForm(r *http.Request) bool {
	owner, ok := p.core.Limits.OpenForm(r.PostForm.Get("token"))
	if !ok {
		return false
	}
	if owner.Nobody() {
		return owner.Browser == p.browserTag(r)
	}
	s, err := p.Session(r)
	return err == nil && p.core.Limits.CheckForm(r.Context(), owner, s) == nil
}

// CheckFormOrigin returns ErrCrossOrigin when neither the browser's headers nor the form's token show that a form comes
// from this site.
func (p *Web) CheckFormOrigin(r *http.Request) error {
	if NoOrigin(r) && !p.ownForm(r) {
		return ErrCrossOrigin
	}
	return nil
}

// RequireToken refuses a form without a valid token when the browser did not say which site the form comes from.
func (p *Web) RequireToken(h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if NoOrigin(r) && p.SessionToken(r) != "" {
			carries, err := p.carriesToken(r)
			if err != nil {
				return err
			}
			if !carries {
				return ErrCrossOrigin
			}
		}
		return h(w, r)
	}
}

// carriesToken reports whether a form has a token of this browser or person. Another person's token passes only where
// the handler compares it and answers 409: an attacker has a valid token of their own and can put it into a form on
// another site.
func (p *Web) carriesToken(r *http.Request) (bool, error) {
	owner, ok := p.core.Limits.OpenForm(r.PostForm.Get("token"))
	if !ok || owner.Nobody() {
		return ok && owner.Browser == p.browserTag(r), nil
	}
	s, err := p.Session(r)
	if errors.Is(err, access.LoginRequired) { // nobody is signed in: the page asks to sign in
		return true, nil
	}
	if err != nil {
		return false, err
	}
	err = p.core.Limits.CheckForm(r.Context(), owner, s)
	switch {
	case errors.Is(err, core.ErrFormMisplaced):
		return owner.CompanyID == 0 || comparesAccount(r.URL.Path) || r.URL.Path == "/logout", nil
	case errors.Is(err, access.LoginRequired):
		return comparesAccount(r.URL.Path) || owner.CompanyID != 0 && core.PersonOwner(s).Nobody(), nil
	}
	return err == nil, err
}

// comparesAccount reports whether a path belongs to a landing site, whose pages compare the account of a form
// themselves.
func comparesAccount(path string) bool {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/native/code"), "/native/notices")
	for _, base := range Bases {
		if rest, ok := strings.CutPrefix(path, base); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// CheckOwner answers a form of the account site that was opened for another person than the one who is signed in now:
// see misplaced. Landing sites compare the accounts of their own forms, in site.Site.Page. When nobody is signed in
// any more, the form's own handler redirects to the sign-in page.
func (p *Web) CheckOwner(h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		owner := p.FormOwner(r)
		if owner.Nobody() || owner.CompanyID != 0 {
			return h(w, r)
		}
		s, err := p.Session(r)
		if errors.Is(err, access.LoginRequired) {
			return h(w, r)
		}
		if err != nil {
			return err
		}
		if err := p.core.Limits.CheckForm(r.Context(), owner, s); errors.Is(err, core.ErrFormMisplaced) {
			return p.misplaced(w, r, owner, s)
		}
		return h(w, r)
	}
}

// KnownFlow returns the id that forms.FlowID gave this browser, in an earlier request or in this one; "" for none.
func (p *Web) KnownFlow(r *http.Request) string {
	if v := VisitOf(r.Context()); v != nil && v.Flow != "" {
		return v.Flow
	}
	if id := p.Cookie(r, FlowCookie); core.IsFlow(id) {
		return id
	}
	return ""
}
