package signin

import (
	"errors"
	"net/http"
	"strings"

	"portico/pages/web"
	"portico/portal/core"
)

// Misplaced answers the form of a landing site that was opened for another account than the one that is signed in now.
// It returns false when it has not answered.
type Misplaced func(http.ResponseWriter, *http.Request, core.FormOwner) (bool, error)

// SubmitLogout revokes the sessions of this browser, here and on the landing hosts, and clears the cookies and the
// local storage of this host.
func (p *Pages) SubmitLogout(misplaced Misplaced) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if answered, err := p.misplacedSignOut(w, r, misplaced); answered {
			return err
		}
		return p.signOut(w, r)
	}
}

func (p *Pages) signOut(w http.ResponseWriter, r *http.Request) error {
	if s, err := p.web.Session(r); err == nil {
		web.KeepEdition(r, s)
	}
	signIn := web.InEdition(r.Context(), "/login?done=signed_out")
	from, err := p.portal.Core.Sessions.SignOut(r.Context(), web.PlaceOf(r.Context()))
	if err != nil {
		return err
	}
	p.web.DropSession(w, r)
	p.web.DropCookie(w, web.ApplicantCookie)
	p.web.DropCookie(w, web.FlowCookie)
	p.web.ForgetChat(w)
	w.Header().Set("Clear-Site-Data", `"storage"`)
	if from == "" {
		return web.SeeOther(w, strings.TrimSuffix(p.web.OtherSignIn(r), "/login")+signIn)
	}
	return web.SeeOther(w, from+signIn)
}

// misplacedSignOut answers a landing site's sign-out form that was opened for another account than the one that is
// signed in now; false for any other form.
func (p *Pages) misplacedSignOut(w http.ResponseWriter, r *http.Request, misplaced Misplaced) (bool, error) {
	owner := p.web.FormOwner(r)
	if owner.CompanyID == 0 {
		return false, nil
	}
	s, err := p.web.Session(r)
	if err != nil || !errors.Is(p.portal.Core.Limits.CheckForm(r.Context(), owner, s), core.ErrFormMisplaced) {
		return false, nil
	}
	return misplaced(w, r, owner)
}
