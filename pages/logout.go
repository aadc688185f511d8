package pages

import (
	"errors"
	"net/http"
	"strings"

	"portico/portal/access"
	"portico/portal/limits"
)

// submitLogout ends everything that the sign-ins of this browser made, here and on the landing hosts, and clears the
// cookies and the local storage of this host.
func (p *Pages) submitLogout(w http.ResponseWriter, r *http.Request) error {
	if misplaced, err := p.misplacedSignOut(w, r); misplaced {
		return err
	}
	if s, err := p.session(r); err == nil {
		keepEdition(r, s)
	}
	signIn := inEdition(r.Context(), "/login?done=signed_out")
	from, err := p.portal.Sessions.SignOut(r.Context(), placeOf(r.Context()))
	if err != nil {
		return err
	}
	p.dropSession(w, r)
	p.dropCookie(w, applicantCookie)
	p.dropCookie(w, flowCookie)
	p.forgetChat(w)
	w.Header().Set("Clear-Site-Data", `"storage"`)
	if from == "" {
		return seeOther(w, strings.TrimSuffix(p.otherSignIn(r), "/login")+signIn)
	}
	return seeOther(w, from+signIn)
}

// misplacedSignOut answers a landing site's sign-out form that was opened for another account than the one that is
// signed in now; false for any other form.
func (p *Pages) misplacedSignOut(w http.ResponseWriter, r *http.Request) (bool, error) {
	owner := p.formOwner(r)
	if owner.CompanyID == 0 {
		return false, nil
	}
	s, err := p.session(r)
	if err != nil || !errors.Is(p.portal.Limits.CheckForm(r.Context(), owner, s), limits.ErrFormMisplaced) {
		return false, nil
	}
	for _, slot := range access.Slots {
		l := landingPages{p, bases[slot], slot}
		if here, err := l.here(r); err == nil {
			return true, l.misplaced(w, r, owner, here)
		}
	}
	return false, nil
}
