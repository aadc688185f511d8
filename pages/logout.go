package pages

import (
	"errors"
	"net/http"

	"portico/portal"
)

// submitLogout ends everything that the sign-ins of this browser made, here and on the landing hosts, and clears the
// cookies and the local storage of this host.
func (p *Pages) submitLogout(w http.ResponseWriter, r *http.Request) error {
	if misplaced, err := p.misplacedSignOut(w, r); misplaced {
		return err
	}
	from, err := p.portal.SignOut(r.Context(), placeOf(r.Context()))
	if err != nil {
		return err
	}
	p.dropSession(w, r)
	p.dropCookie(w, applicantCookie)
	p.dropCookie(w, flowCookie)
	p.forgetChat(w)
	w.Header().Set("Clear-Site-Data", `"storage"`)
	if from == "" {
		return seeOther(w, p.otherSignIn(r)+"?done=signed_out")
	}
	return seeOther(w, from+"/login?done=signed_out")
}

// misplacedSignOut answers a landing site's sign-out form that was opened for another account than the one that is
// signed in now; false for any other form.
func (p *Pages) misplacedSignOut(w http.ResponseWriter, r *http.Request) (bool, error) {
	owner := p.formOwner(r)
	if owner.CompanyID == 0 {
		return false, nil
	}
	s, err := p.session(r)
	if err != nil || !errors.Is(p.portal.CheckForm(r.Context(), owner, s), portal.ErrFormMisplaced) {
		return false, nil
	}
	for _, slot := range portal.Slots {
		l := landing{p, bases[slot], slot}
		if here, err := l.here(r); err == nil {
			return true, l.misplaced(w, r, owner, here)
		}
	}
	return false, nil
}
