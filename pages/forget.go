package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/credentials"
	"portico/portal/verification"
)

// forgetView returns the form that all steps of resetting a password have in common.
func (p *Pages) forgetView(r *http.Request, path, submit string, fields ...components.Field) formView {
	ctx := r.Context()
	return formView{
		Heading: locale.T(ctx, "forget.heading"),
		Path:    path,
		Fields:  fields,
		Submit:  locale.T(ctx, submit),
		Busy:    locale.T(ctx, "care.busy"),
		Tabs: []tab{
			{locale.T(ctx, "login.by_phone"), "/forget/phone"},
			{locale.T(ctx, "login.by_name"), "/forget/account"},
		},
		Links: []pageLink{{locale.T(ctx, "care.back_to_login"), "/login"}},
	}
}

// forgetPhoneView returns the form by phone, which has a single step: the phone, its code and the new password.
func (p *Pages) forgetPhoneView(r *http.Request, in credentials.ResetInput) formView {
	code := codeField(r)
	code.Value = in.Code
	fields := append([]components.Field{phoneField(r, in.Phone), code}, p.newPasswordFields(r)...)
	v := p.forgetView(r, "/forget/phone", "forget.submit", fields...)
	v.Lead, v.Sending = locale.T(r.Context(), "forget.phone_lead"), sendingFor(verification.ForReset, 0, "phone")
	v.Check = keepBox(r, "forget.keep")
	return v
}

// showForgetPhone shows the form by phone.
func (p *Pages) showForgetPhone(w http.ResponseWriter, r *http.Request) error {
	view := p.forgetPhoneView(r, credentials.ResetInput{})
	pending, err := p.resume(r, &view, p.cookie(r, flowCookie), verification.ForReset)
	if err != nil {
		return err
	}
	if pending.Hidden {
		view.Sending.Seconds = 0
	}
	return p.renderForm(w, r, view, nil)
}

// submitForgetPhone sends a code, or sets the new password.
func (p *Pages) submitForgetPhone(w http.ResponseWriter, r *http.Request) error {
	var in credentials.ResetInput
	decode(r, &in)
	in.Login = ""
	view := p.forgetPhoneView(r, in)
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderForm(w, again, p.forgetPhoneView(again, in), nil)
	}
	if asksForCode(r) {
		r.PostForm.Del("login")
		return p.sendCode(w, r, verification.ForReset, view)
	}
	return p.reset(w, r, in, view)
}

// reset sets the new password, or shows the form with what was refused.
func (p *Pages) reset(w http.ResponseWriter, r *http.Request, in credentials.ResetInput, view formView) error {
	in.Flow, in.Place, in.Lang = p.cookie(r, flowCookie), placeOf(r.Context()), string(locale.Of(r.Context()))
	err := p.portal.Credentials.ResetPassword(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		if _, err := p.resume(r, &view, in.Flow, verification.ForReset); err != nil {
			return err
		}
		return p.renderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	p.dropCookie(w, forgetCookie)
	if in.Login != "" {
		return seeOther(w, inEdition(r.Context(), "/login/account?done=reset"))
	}
	return seeOther(w, inEdition(r.Context(), "/login?done=reset"))
}

// forgetNameView returns the first step by account name.
func (p *Pages) forgetNameView(r *http.Request, login string) formView {
	ctx := r.Context()
	v := p.forgetView(r, "/forget/account", "forget.next", components.Field{
		ID:       "login",
		Label:    locale.T(ctx, "login.name"),
		Hint:     locale.T(ctx, "login.name_hint"),
		Value:    login,
		Complete: "username",
		Max:      access.MaxLogin,
	})
	v.Lead, v.Step = locale.T(ctx, "forget.account_lead"), locale.T(ctx, "care.step", "num", 1, "of", 2)
	return v
}

// forgetCodeView returns the second step by account name: the code and the new password.
func (p *Pages) forgetCodeView(r *http.Request, login, code string) formView {
	ctx := r.Context()
	field := codeField(r)
	field.Value = code
	fields := append([]components.Field{field}, p.newPasswordFields(r)...)
	v := p.forgetView(r, "/forget/account", "forget.submit", fields...)
	v.Lead, v.Step = locale.T(ctx, "forget.code_lead", "login", login), locale.T(ctx, "care.step", "num", 2, "of", 2)
	v.Sending, v.Hidden = sendingFor(verification.ForReset, 0), []hidden{{"login", login}}
	v.Links = append(v.Links, pageLink{locale.T(ctx, "forget.other_name"), "/forget/account"})
	return v
}

// showForgetAccount shows the first step, or the second one when a code was sent.
func (p *Pages) showForgetAccount(w http.ResponseWriter, r *http.Request) error {
	login := p.portal.Sealing.Remembered(p.cookie(r, forgetCookie))
	if login == "" || !r.URL.Query().Has("step") {
		return p.renderForm(w, r, p.forgetNameView(r, login), nil)
	}
	view := p.forgetCodeView(r, login, "")
	pending, err := p.resume(r, &view, p.cookie(r, flowCookie), verification.ForReset)
	if err != nil {
		return err
	}
	if !pending.Hidden { // the code has expired, or none was sent: begin again
		return seeOther(w, inEdition(r.Context(), "/forget/account"))
	}
	view.Sending.Message = locale.T(r.Context(), "code.maybe_sent")
	if phone := access.MaskPhone(pending.Phone); phone != "" {
		view.Sending.Message = locale.T(r.Context(), "code.sent", "phone", phone)
	}
	return p.renderForm(w, r, view, nil)
}

// submitForgetAccount handles the form of either step.
func (p *Pages) submitForgetAccount(w http.ResponseWriter, r *http.Request) error {
	var in credentials.ResetInput
	decode(r, &in)
	in.Phone = ""
	second := r.PostForm.Has("code")
	view := p.forgetNameView(r, in.Login)
	if second {
		view = p.forgetCodeView(r, in.Login, in.Code)
	}
	if again, switched := p.switchedLang(w, r); switched {
		if second {
			return p.renderForm(w, again, p.forgetCodeView(again, in.Login, in.Code), nil)
		}
		return p.renderForm(w, again, p.forgetNameView(again, in.Login), nil)
	}
	if second && !asksForCode(r) {
		return p.reset(w, r, in, view)
	}
	return p.sendResetCode(w, r, in.Login, view, second)
}

// sendResetCode sends the code for an account name and redirects to the second step. second is true when that step asks
// for another code.
func (p *Pages) sendResetCode(w http.ResponseWriter, r *http.Request, login string, view formView, second bool) error {
	r.PostForm.Del("phone")
	if second {
		return p.sendCode(w, r, verification.ForReset, view)
	}
	in, err := p.codeRequest(w, r, verification.ForReset)
	if err != nil {
		return err
	}
	if login == "" {
		missing := access.Fields{"login": access.LoginMissing}
		return p.renderForm(w, r, view, &access.Refused{Refusal: access.ValidationFailed, Fields: missing})
	}
	_, err = p.portal.Verification.AskCode(r.Context(), in)
	refused := new(access.Refused)
	switch {
	case errors.As(err, &refused) && refused.Refusal == access.PhoneNotBound && len(refused.Contacts) > 0:
		return p.renderNoPhone(w, r, refused)
	case errors.As(err, &refused) && refused.Refusal != access.CodeAlreadySent:
		return p.renderForm(w, r, view, refused)
	case err != nil && refused.Refusal != access.CodeAlreadySent:
		return err
	}
	sealed, err := p.portal.Sealing.Remember(login)
	if err != nil {
		return err
	}
	p.setCookie(w, forgetCookie, sealed, 0)
	return seeOther(w, inEdition(r.Context(), "/forget/account?step=2"))
}

// renderNoPhone tells the owner of an account without a phone who can help: no code can be sent.
func (p *Pages) renderNoPhone(w http.ResponseWriter, r *http.Request, refused *access.Refused) error {
	ctx := r.Context()
	p.renderState(w, r, http.StatusUnprocessableEntity, components.State{
		Drawing: "d-locked",
		Heading: locale.T(ctx, "forget.no_phone"),
		Body:    locale.T(ctx, "forget.no_phone_body"),
		People:  people(r, refused.Contacts),
		Action:  locale.T(ctx, "care.back_to_login"),
		Href:    "/login/account",
	})
	return nil
}
