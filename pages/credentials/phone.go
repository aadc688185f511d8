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

// phoneView is the form that changes a phone: the new number with its code, and the password or, with in.ByCode, a code
// to the present number.
func (p *Pages) phoneView(
	r *http.Request, change credentials.PhoneChange, in credentials.ChangePhoneInput,
) forms.FormView {
	ctx := r.Context()
	newPhone := forms.PhoneField(r, in.Phone).Labelled(locale.T(ctx, "phone.new"))
	newPhone.Hint = locale.T(ctx, "phone.stays")
	code := forms.CodeField(r).Labelled(locale.T(ctx, "phone.new_code"))
	code.Value = in.Code
	v := forms.FormView{
		Heading: locale.T(ctx, "phone.heading"), Path: "/phone",
		Lead:    locale.T(ctx, "phone.lead", "phone", access.MaskPhone(change.Phone)),
		Fields:  []components.Field{newPhone, code},
		Sending: forms.SendingFor(core.ForNewPhone, 0, "phone"),
		Submit:  locale.T(ctx, "phone.submit"), Busy: locale.T(ctx, "care.busy"),
		Links: []web.PageLink{{Label: locale.T(ctx, "care.back"), Href: web.SecurityPath}},
		Help:  forms.FormHelp{Text: locale.T(ctx, "phone.neither"), People: web.People(r, change.Contacts)},
	}
	if change.Account.ID != 0 {
		v.Lead = locale.T(ctx, "phone.lead_account",
			"phone", access.MaskPhone(change.Phone), "login", change.Account.Login,
			"company", change.Account.Company.Name)
	}
	if len(v.Help.People) == 0 {
		v.Help = forms.FormHelp{}
	}
	if !in.ByCode {
		v.Fields = append(v.Fields, forms.PasswordField(r, "password", "phone.password", "current-password"))
		v.Extra = []forms.FormButton{{Name: "action", Value: "by_code", Label: locale.T(ctx, "phone.by_code")}}
		return v
	}
	old := forms.CodeField(r).Labelled(locale.T(ctx, "phone.old_code", "phone", access.MaskPhone(change.Phone)))
	old.ID = "old_code"
	old.Value = in.OldCode
	old.Hint = locale.T(ctx, "phone.old_code_hint")
	sending := forms.SendingFor(core.ForOldPhone, 0)
	sending.Action = sendOldCode
	old.Sending = &sending
	v.Fields = append(v.Fields, old)
	if change.HasPassword {
		v.Extra = []forms.FormButton{{Name: "action", Value: "by_password", Label: locale.T(ctx, "phone.by_password")}}
	}
	return v
}

// sendOldCode is the action of the button that sends a code to the present number.
const sendOldCode = "send_old_code"

// PhoneForm is the page that replaces the phone of a person.
func (p *Pages) PhoneForm() web.FormPage {
	return web.FormPage{Show: p.showPhone, View: p.viewPhone, Submit: p.submitPhone}
}

// showPhone answers GET /phone: the form that replaces the phone of a person, in two steps.
func (p *Pages) showPhone(w http.ResponseWriter, r *http.Request) error {
	s, change, done, err := p.phoneToChange(w, r)
	if done || err != nil {
		return err
	}
	in := credentials.ChangePhoneInput{Session: s, ByCode: !change.HasPassword}
	view, err := p.resumedPhone(r, change, in)
	if err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, view, nil)
}

// phoneToChange reads what the session may change. done says that the request was redirected: an account without a
// phone binds one.
func (p *Pages) phoneToChange(
	w http.ResponseWriter, r *http.Request,
) (s access.Session, change credentials.PhoneChange, done bool, err error) {
	if s, err = p.web.SignedIn(r); err != nil {
		return s, change, false, err
	}
	change, err = p.portal.Binding.PhoneToChange(r.Context(), s)
	if web.IsRefusal(err, access.WrongParameters) {
		return s, change, true, web.SeeOther(w, "/bind")
	}
	return s, change, false, err
}

// resumedPhone is phoneView with the seconds until each code can be sent again.
func (p *Pages) resumedPhone(
	r *http.Request, change credentials.PhoneChange, in credentials.ChangePhoneInput,
) (forms.FormView, error) {
	view := p.phoneView(r, change, in)
	flow := forms.SessionFlow(in.Session)
	if _, err := p.forms.Resume(r, &view, flow, core.ForNewPhone); err != nil {
		return view, err
	}
	pending, _, err := p.portal.Core.Verification.PendingCode(r.Context(), flow, core.ForOldPhone)
	if old := view.Field("old_code"); old != nil {
		old.Sending.Seconds = forms.SecondsOf(pending.ResendAfter)
	}
	return view, err
}

// phoneInput reads the form.
func (p *Pages) phoneInput(r *http.Request, s access.Session) credentials.ChangePhoneInput {
	var in credentials.ChangePhoneInput
	web.Decode(r, &in)
	in.Session = s
	in.Flow = forms.SessionFlow(s)
	in.Lang = string(locale.Of(r.Context()))
	in.Device = p.portal.Core.Sessions.DeviceID(p.web.Cookie(r, web.DeviceCookie))
	in.ByCode = r.PostForm.Has("old_code")
	return in
}

// viewPhone shows the form with what was typed.
func (p *Pages) viewPhone(w http.ResponseWriter, r *http.Request) error {
	s, change, done, err := p.phoneToChange(w, r)
	if done || err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, p.phoneView(r, change, p.phoneInput(r, s)), nil)
}

// submitPhone answers POST /phone: each button of the form sends a code or takes the next step.
func (p *Pages) submitPhone(w http.ResponseWriter, r *http.Request) error {
	s, change, done, err := p.phoneToChange(w, r)
	if done || err != nil {
		return err
	}
	in := p.phoneInput(r, s)
	action := r.PostForm.Get("action")
	switch action {
	case "by_code", "by_password":
		in.ByCode = action == "by_code" || !change.HasPassword
		view, err := p.resumedPhone(r, change, in)
		if err != nil {
			return err
		}
		return p.forms.RenderForm(w, r, view, nil)
	case "send_code", sendOldCode:
		return p.askPhoneCode(w, r, change, in, action)
	}
	token, err := p.portal.Binding.ChangePhone(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		return p.phoneRefused(w, r, change, in, refused)
	}
	if err != nil {
		return err
	}
	p.renewSession(w, r, s, token)
	return web.SeeOther(w, "/accounts?all=1&done=phone")
}

// askPhoneCode sends one of the two codes, and shows the form again. When the number is the person's by now, because
// the response to the change was lost, it continues as after the change.
func (p *Pages) askPhoneCode(
	w http.ResponseWriter, r *http.Request, change credentials.PhoneChange, in credentials.ChangePhoneInput,
	action string,
) error {
	if changed, err := p.portal.Binding.PhoneJustChanged(r.Context(), in.Session, in.Phone); changed || err != nil {
		if err != nil {
			return err
		}
		return web.SeeOther(w, "/accounts?all=1&done=phone")
	}
	purpose := core.ForNewPhone
	send := p.portal.Binding.AskNewPhoneCode
	if action == sendOldCode {
		purpose = core.ForOldPhone
		send = p.portal.Binding.AskOldPhoneCode
	}
	ask, err := p.forms.CodeRequest(w, r, purpose)
	if err != nil {
		return err
	}
	view, err := p.resumedPhone(r, change, in)
	if err != nil {
		return err
	}
	sending := &view.Sending
	if old := view.Field("old_code"); old != nil && purpose == core.ForOldPhone {
		sending = old.Sending
	}
	sent, err := send(r.Context(), ask)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		sending.Seconds = max(sending.Seconds, refused.WaitSeconds())
		if purpose == core.ForOldPhone && refused.Refusal != access.ValidationFailed {
			refused.Field = "old_code"
		}
		return p.forms.RenderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	sending.Seconds, sending.Message = int(sent.ResendAfter.Seconds()), p.forms.SentText(r, ask, sent)
	return p.forms.RenderForm(w, r, view, nil)
}

// phoneRefused shows the form again with the refusal. For a number that has accounts, it explains how to join them.
func (p *Pages) phoneRefused(
	w http.ResponseWriter, r *http.Request, change credentials.PhoneChange, in credentials.ChangePhoneInput,
	refused *access.Refused,
) error {
	if refused.Company != nil {
		return refused
	}
	view, err := p.resumedPhone(r, change, in)
	if err != nil {
		return err
	}
	if refused.Refusal == access.PhoneRegistered {
		view.Refusal.Text = locale.T(r.Context(), "phone.taken")
		view.Refusal.Links = []web.PageLink{{Label: locale.T(r.Context(), "phone.taken_way"), Href: "/accounts?all=1"}}
	}
	return p.forms.RenderForm(w, r, view, refused)
}
