package entry

import (
	"net/http"

	"portico/pages/web"
	"portico/portal/signin"
)

// SubmitAppToken signs a person in by the token of the app, and answers with the address to open next. It has no other
// proof that the request is same-origin, so it refuses a browser that does not send its origin.
func (p *Pages) SubmitAppToken(w http.ResponseWriter, r *http.Request) error {
	if web.NoOrigin(r) {
		return web.ErrCrossOrigin
	}
	var in signin.AppLoginInput
	web.Decode(r, &in)
	in.Browser = p.web.BrowserOf(r, false)
	result, err := p.landing.AppLogin(r.Context(), in)
	if err != nil {
		return web.RefuseApp(w, r, err)
	}
	address := choicePath(result.Step.Kind)
	if result.Step.Kind == signin.StepEnter {
		to, err := p.destination(r, result.Session, result.Step.AccountID)
		if err != nil {
			return web.RefuseApp(w, r, err)
		}
		address = p.web.Simulated.AddToAddress(p.web.Native(r), to.URL)
	}
	p.SetSession(w, r, result)
	if result.Step.Kind == signin.StepEnter {
		p.web.DropCookie(w, web.ReturnCookie)
	}
	return web.WriteJSON(w, http.StatusOK, map[string]string{"location": address})
}
