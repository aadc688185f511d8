package pages

import "net/http"

// submitLogout ends all this browser's sign-ins made, here and on the landing hosts, and clears what
// browsers keep of it (requirement 54).
func (p *Pages) submitLogout(w http.ResponseWriter, r *http.Request) error {
	from, err := p.portal.SignOut(r.Context(), p.sessionToken(r), placeOf(r.Context()))
	if err != nil {
		return err
	}
	p.dropCookie(w, sessionCookie)
	p.dropCookie(w, applicantCookie)
	p.dropCookie(w, flowCookie)
	p.forgetChat(w)
	w.Header().Set("Clear-Site-Data", `"storage"`)
	if from == "" {
		return seeOther(w, p.otherSignIn(r)+"?done=signed_out")
	}
	return seeOther(w, from+"/login?done=signed_out")
}
