package signin

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
)

// loginCodeView returns the form that signs in by verification code.
func (p *Pages) loginCodeView(r *http.Request, in signin.CodeLoginInput) forms.FormView {
	ctx := r.Context()
	code := forms.CodeField(r)
	code.Value = in.Code
	v := forms.FormView{
		Heading: locale.T(ctx, "login.heading"), Lead: locale.T(ctx, "login.code_lead"), Path: "/login/code",
		Fields:  []components.Field{forms.PhoneField(r, in.Phone), code},
		Sending: forms.SendingFor(core.ForLogin, 0, "phone"),
		Check:   forms.CheckBox{Name: "remember", Label: locale.T(ctx, "login.remember"), Checked: in.Remember},
		Submit:  locale.T(ctx, "login.submit"), Busy: locale.T(ctx, "login.busy"),
		Tabs: signInTabs(ctx, p.signedInByCode(r)),
	}
	v.Below = otherWays(p.waysOf(r, p.chatlogin.MethodLinks(r)))
	v.DemoLinks = true
	return v
}

// LoginCodeForm is the page that signs in by a code to the phone.
func (p *Pages) LoginCodeForm() web.FormPage {
	return web.FormPage{Show: p.showLoginCode, View: p.viewLoginCode, Submit: p.submitLoginCode}
}

// showLoginCode answers GET /login/code: the form that signs in by a code to the phone.
func (p *Pages) showLoginCode(w http.ResponseWriter, r *http.Request) error {
	p.web.KeepSharer(w, r)
	p.web.NoteReturn(w, r)
	view := p.loginCodeView(r, signin.CodeLoginInput{})
	if _, err := p.forms.Resume(r, &view, p.web.Cookie(r, web.FlowCookie), core.ForLogin); err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, view, nil)
}

// viewLoginCode shows the form with what was typed.
func (p *Pages) viewLoginCode(w http.ResponseWriter, r *http.Request) error {
	var in signin.CodeLoginInput
	web.Decode(r, &in)
	return p.forms.RenderForm(w, r, p.loginCodeView(r, in), nil)
}

// submitLoginCode answers POST /login/code: it sends a code, or signs in with one.
func (p *Pages) submitLoginCode(w http.ResponseWriter, r *http.Request) error {
	var in signin.CodeLoginInput
	web.Decode(r, &in)
	view := p.loginCodeView(r, in)
	if forms.AsksForCode(r) {
		return p.forms.SendCode(w, r, core.ForLogin, p.portal.Signin.AskCode, view)
	}
	in.Flow, in.Browser = p.web.Cookie(r, web.FlowCookie), p.web.BrowserOf(r, in.Remember)
	in.Enter, in.Agreement = p.entry.DirectEntry(r), p.entry.RequiredAgreement()
	result, err := p.portal.Signin.LoginByCode(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		if _, err := p.forms.Resume(r, &view, in.Flow, core.ForLogin); err != nil {
			return err
		}
		return p.forms.RenderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	if err := p.entry.SetSessionCookies(w, r, result); err != nil {
		return err
	}
	p.web.SetCookie(w, web.WayCookie, "code", web.YearSeconds)
	return p.entry.RedirectSignedIn(w, r, result)
}
