package credentials

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
)

// forgetView returns the form that all steps of resetting a password have in common.
func (p *Pages) forgetView(r *http.Request, path, submit string, fields ...components.Field) forms.FormView {
	ctx := r.Context()
	return forms.FormView{
		Heading: locale.T(ctx, "forget.heading"),
		Path:    path,
		Fields:  fields,
		Submit:  locale.T(ctx, submit),
		Busy:    locale.T(ctx, "care.busy"),
		Tabs: []forms.Tab{
			{Label: locale.T(ctx, "forget.by_phone"), Href: "/forget/phone"},
			{Label: locale.T(ctx, "login.by_name"), Href: "/forget/account"},
		},
		Links: []web.PageLink{{Label: locale.T(ctx, "care.back_to_login"), Href: "/login"}},
	}
}

// forgetPhoneView returns the form by phone, which has a single step: the phone, its code and the new password.
func (p *Pages) forgetPhoneView(r *http.Request, in credentials.ResetInput) forms.FormView {
	code := forms.CodeField(r)
	code.Value = in.Code
	fields := append([]components.Field{forms.PhoneField(r, in.Phone), code}, p.forms.NewPasswordFields(r)...)
	v := p.forgetView(r, "/forget/phone", "forget.submit", fields...)
	v.Lead, v.Sending = locale.T(r.Context(), "forget.phone_lead"), forms.SendingFor(core.ForReset, 0, "phone")
	v.Check = keepBox(r, "forget.keep", "forget.keep_hint")
	return v
}

// ForgetPhoneForm is the page that resets a password by phone.
func (p *Pages) ForgetPhoneForm() web.FormPage {
	return web.FormPage{Show: p.showForgetPhone, View: p.viewForgetPhone, Submit: p.submitForgetPhone}
}

// showForgetPhone shows the form by phone.
func (p *Pages) showForgetPhone(w http.ResponseWriter, r *http.Request) error {
	view := p.forgetPhoneView(r, credentials.ResetInput{})
	pending, err := p.forms.Resume(r, &view, p.web.Cookie(r, web.FlowCookie), core.ForReset)
	if err != nil {
		return err
	}
	if pending.Hidden {
		view.Sending.Seconds = 0
	}
	p.forms.FillIn(w, r, &view)
	return p.forms.RenderForm(w, r, view, nil)
}

// phoneResetInput reads the form by phone.
func phoneResetInput(r *http.Request) credentials.ResetInput {
	var in credentials.ResetInput
	web.Decode(r, &in)
	in.Login = ""
	return in
}

// viewForgetPhone shows the form by phone with what was typed.
func (p *Pages) viewForgetPhone(w http.ResponseWriter, r *http.Request) error {
	return p.forms.RenderForm(w, r, p.forgetPhoneView(r, phoneResetInput(r)), nil)
}

// submitForgetPhone sends a code, or sets the new password.
func (p *Pages) submitForgetPhone(w http.ResponseWriter, r *http.Request) error {
	in := phoneResetInput(r)
	view := p.forgetPhoneView(r, in)
	if forms.AsksForCode(r) {
		r.PostForm.Del("login")
		return p.forms.SendCode(w, r, core.ForReset, p.portal.Credentials.AskResetCode, view)
	}
	return p.reset(w, r, in, view)
}

// reset sets the new password, or shows the form with what was refused.
func (p *Pages) reset(w http.ResponseWriter, r *http.Request, in credentials.ResetInput, view forms.FormView) error {
	in.Flow = p.web.Cookie(r, web.FlowCookie)
	in.Place = web.PlaceOf(r.Context())
	in.Lang = string(locale.Of(r.Context()))
	err := p.portal.Credentials.ResetPassword(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		if _, err := p.forms.Resume(r, &view, in.Flow, core.ForReset); err != nil {
			return err
		}
		return p.forms.RenderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	p.web.DropCookie(w, web.ForgetCookie)
	if err := p.forms.Carry(w, in.Phone+in.Login); err != nil {
		return err
	}
	if in.Login != "" {
		return web.SeeOther(w, web.InEdition(r.Context(), "/login/account?done=reset"))
	}
	return web.SeeOther(w, web.InEdition(r.Context(), "/login?done=reset"))
}

// forgetStages returns the steps of resetting a password by account name; at is the index of the current one.
func forgetStages(r *http.Request, at int) []forms.Stage {
	return forms.StagesNamed(r, at, "login.name", "login.password")
}

// forgetNameView returns the first step by account name.
func (p *Pages) forgetNameView(r *http.Request, login string) forms.FormView {
	ctx := r.Context()
	v := p.forgetView(r, "/forget/account", "forget.next", components.Field{
		ID:       "login",
		Label:    locale.T(ctx, "login.name"),
		Hint:     locale.T(ctx, "login.name_hint"),
		Value:    login,
		Complete: "username",
		Max:      access.MaxLogin,
	})
	v.Lead, v.Progress = locale.T(ctx, "forget.account_lead"), forgetStages(r, 0)
	return v
}

// forgetCodeView returns the second step by account name: the code and the new password.
func (p *Pages) forgetCodeView(r *http.Request, login, code string) forms.FormView {
	ctx := r.Context()
	field := forms.CodeField(r)
	field.Value = code
	fields := append([]components.Field{field}, p.forms.NewPasswordFields(r)...)
	v := p.forgetView(r, "/forget/account", "forget.submit", fields...)
	v.Lead, v.Progress = locale.T(ctx, "forget.code_lead", "login", login), forgetStages(r, 1)
	v.Sending, v.Hidden = forms.SendingFor(core.ForReset, 0), []forms.Hidden{{Name: "login", Value: login}}
	v.Username = login
	v.Links = append(v.Links, web.PageLink{Label: locale.T(ctx, "forget.other_name"), Href: "/forget/account"})
	return v
}

// ForgetAccountForm is the page that resets a password by account name.
func (p *Pages) ForgetAccountForm() web.FormPage {
	return web.FormPage{Show: p.showForgetAccount, View: p.viewForgetAccount, Submit: p.submitForgetAccount}
}

// showForgetAccount shows the first step, or the second one when a code was sent.
func (p *Pages) showForgetAccount(w http.ResponseWriter, r *http.Request) error {
	login := p.portal.Core.Sealing.Remembered(p.web.Cookie(r, web.ForgetCookie))
	if login == "" || !r.URL.Query().Has("step") {
		return p.forms.RenderForm(w, r, p.forgetNameView(r, login), nil)
	}
	view := p.forgetCodeView(r, login, "")
	pending, err := p.forms.Resume(r, &view, p.web.Cookie(r, web.FlowCookie), core.ForReset)
	if err != nil {
		return err
	}
	if !pending.Hidden { // the code has expired, or none was sent: begin again
		return web.SeeOther(w, web.InEdition(r.Context(), "/forget/account"))
	}
	view.Sending.Message = locale.T(r.Context(), "code.maybe_sent")
	if phone := access.MaskPhone(pending.Phone); phone != "" {
		view.Sending.Message = locale.T(r.Context(), "code.sent", "phone", phone)
	}
	return p.forms.RenderForm(w, r, view, nil)
}

// forgetAccountTyped reads the form by account name. second is true for the form of the second step.
func (p *Pages) forgetAccountTyped(r *http.Request) (in credentials.ResetInput, view forms.FormView, second bool) {
	web.Decode(r, &in)
	in.Phone = ""
	if r.PostForm.Has("code") {
		return in, p.forgetCodeView(r, in.Login, in.Code), true
	}
	return in, p.forgetNameView(r, in.Login), false
}

// viewForgetAccount shows the form of either step with what was typed.
func (p *Pages) viewForgetAccount(w http.ResponseWriter, r *http.Request) error {
	_, view, _ := p.forgetAccountTyped(r)
	return p.forms.RenderForm(w, r, view, nil)
}

// submitForgetAccount handles the form of either step.
func (p *Pages) submitForgetAccount(w http.ResponseWriter, r *http.Request) error {
	in, view, second := p.forgetAccountTyped(r)
	if second && !forms.AsksForCode(r) {
		return p.reset(w, r, in, view)
	}
	return p.sendResetCode(w, r, in.Login, view, second)
}

// sendResetCode sends the code for an account name and redirects to the second step. second is true when that step asks
// for another code.
func (p *Pages) sendResetCode(
	w http.ResponseWriter, r *http.Request, login string, view forms.FormView, second bool,
) error {
	r.PostForm.Del("phone")
	if second {
		return p.forms.SendCode(w, r, core.ForReset, p.portal.Credentials.AskResetCode, view)
	}
	in, err := p.forms.CodeRequest(w, r, core.ForReset)
	if err != nil {
		return err
	}
	if login == "" {
		missing := access.Fields{"login": access.LoginMissing}
		return p.forms.RenderForm(w, r, view, &access.Refused{Refusal: access.ValidationFailed, Fields: missing})
	}
	_, err = p.portal.Credentials.AskResetCode(r.Context(), in)
	refused := new(access.Refused)
	switch {
	case errors.As(err, &refused) && refused.Refusal == access.PhoneNotBound:
		return p.renderNoPhone(w, r, refused)
	case errors.As(err, &refused) && refused.Refusal != access.CodeAlreadySent:
		return p.forms.RenderForm(w, r, view, refused)
	case err != nil && refused.Refusal != access.CodeAlreadySent:
		return err
	}
	sealed, err := p.portal.Core.Sealing.Remember(login)
	if err != nil {
		return err
	}
	p.web.SetCookie(w, web.ForgetCookie, sealed, 0)
	return web.SeeOther(w, web.InEdition(r.Context(), "/forget/account?step=2"))
}

// renderNoPhone says that no code can be sent to an account without a phone, and whom to call. An administrator can set
// a temporary password. The platform's support is for people who cannot reach an administrator.
func (p *Pages) renderNoPhone(w http.ResponseWriter, r *http.Request, refused *access.Refused) error {
	ctx := r.Context()
	body := "forget.no_phone_body"
	if len(refused.Contacts) > 0 && refused.Contacts[0].Role != access.RoleAdministrator {
		body = "forget.no_phone_support"
	}
	p.web.RenderState(w, r, http.StatusUnprocessableEntity, components.State{
		Scene:   components.SceneLocked,
		Heading: locale.T(ctx, "forget.no_phone"),
		Body:    locale.T(ctx, body),
		People:  web.People(r, refused.Contacts),
		Action:  locale.T(ctx, "care.back_to_login"),
		Href:    "/login/account",
	})
	return nil
}
