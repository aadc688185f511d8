package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/signin"
	"portico/portal/verification"
)

func (p *Pages) loginCodeView(r *http.Request, in signin.CodeLoginInput) formView {
	ctx := r.Context()
	code := codeField(r)
	code.Value = in.Code
	return formView{
		Heading: locale.T(ctx, "login.heading"), Lead: locale.T(ctx, "login.code_lead"), Path: "/login/code",
		Fields: []components.Field{phoneField(r, in.Phone), code}, Sending: sendingFor(verification.ForLogin, 0, "phone"),
		Check:  checkBox{Name: "remember", Label: locale.T(ctx, "login.remember"), Checked: in.Remember},
		Submit: locale.T(ctx, "login.submit"), Busy: locale.T(ctx, "login.busy"),
		Links: []pageLink{{locale.T(ctx, "login.by_password"), "/login"}, {locale.T(ctx, "login.name_door"), "/login/account"}},
	}
}

func (p *Pages) showLoginCode(w http.ResponseWriter, r *http.Request) error {
	p.shared(w, r)
	p.noteReturn(w, r)
	view := p.loginCodeView(r, signin.CodeLoginInput{})
	if _, err := p.resume(r, &view, p.cookie(r, flowCookie), verification.ForLogin); err != nil {
		return err
	}
	return p.renderForm(w, r, view, nil)
}

func (p *Pages) submitLoginCode(w http.ResponseWriter, r *http.Request) error {
	var in signin.CodeLoginInput
	decode(r, &in)
	view := p.loginCodeView(r, in)
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderForm(w, again, p.loginCodeView(again, in), nil)
	}
	if asksForCode(r) {
		return p.sendCode(w, r, verification.ForLogin, view)
	}
	in.Flow, in.Browser = p.cookie(r, flowCookie), p.browserOf(r, in.Remember)
	in.Enter, in.Agreement = p.directEntry(r), p.requiredAgreement()
	result, err := p.portal.Signin.LoginByCode(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		if _, err := p.resume(r, &view, in.Flow, verification.ForLogin); err != nil {
			return err
		}
		return p.renderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	if err := p.setSignedIn(w, r, result); err != nil {
		return err
	}
	return p.redirectSignedIn(w, r, result)
}
