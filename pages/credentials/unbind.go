package credentials

import (
	"errors"
	"net/http"
	"strconv"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
)

// unbindView returns the form that unbinds a phone.
func (p *Pages) unbindView(r *http.Request, u credentials.Unbinding, in credentials.UnbindInput) forms.FormView {
	ctx := r.Context()
	code := forms.CodeField(r)
	code.Value = in.Code
	v := forms.FormView{
		Heading: locale.T(ctx, "unbind.heading"),
		Lead: locale.T(ctx, "unbind.lead", "phone", access.MaskPhone(u.Member.Phone), "login", u.Member.Login,
			"company", u.Member.Company.Name),
		Path: "/unbind", Fields: []components.Field{code}, Sending: forms.SendingFor(core.ForUnbind, 0),
		Hidden: []forms.Hidden{{Name: "account_id", Value: strconv.FormatInt(u.Member.ID, 10)}},
		Submit: locale.T(ctx, "unbind.submit"), Busy: locale.T(ctx, "care.busy"),
		Danger: true,
		Links: []web.PageLink{{Label: locale.T(ctx, "phone.instead"), Href: "/phone"},
			{Label: locale.T(ctx, "care.back"), Href: web.SecurityPath}},
	}
	switch {
	case u.NewPassword:
		v.Username = u.Member.Login
		v.Note = locale.T(ctx, "unbind.needs_password", "login", u.Member.Login)
		v.Fields = append(v.Fields, p.forms.NewPasswordFields(r)...)
	case u.Confirm:
		v.Fields = append(v.Fields, forms.PasswordField(r, "password", "unbind.password", "current-password"))
	}
	return v
}

// unbinding reads the account whose phone is unbound.
func (p *Pages) unbinding(r *http.Request, accountID int64) (s access.Session, u credentials.Unbinding, err error) {
	if s, err = p.web.SignedIn(r); err != nil {
		return s, u, err
	}
	u, err = p.portal.Binding.Unbindable(r.Context(), s, accountID)
	return s, u, err
}

// notUnbinding answers a request without an account whose phone can be unbound. It redirects to the security page when
// the person has to choose an account there, or the account has no phone.
func notUnbinding(w http.ResponseWriter, err error) error {
	if web.IsRefusal(err, access.ValidationFailed, access.WrongParameters) {
		return web.SeeOther(w, "/security?unbind=1")
	}
	return err
}

// UnbindForm is the page that unbinds the phone from an account.
func (p *Pages) UnbindForm() web.FormPage {
	return web.FormPage{Show: p.showUnbind, View: p.viewUnbind, Submit: p.submitUnbind}
}

// showUnbind answers GET /unbind: the form that unbinds the phone from an account.
func (p *Pages) showUnbind(w http.ResponseWriter, r *http.Request) error {
	id, _ := access.DecimalID(r.URL.Query().Get("account_id"))
	s, u, err := p.unbinding(r, id)
	if web.IsRefusal(err, access.NotFound) { // perhaps the phone was unbound and the response was lost
		just, failed := p.portal.Binding.JustUnbound(r.Context(), s, id)
		if failed != nil {
			return failed
		}
		if just {
			return web.SeeOther(w, "/accounts?all=1&done=unbound")
		}
	}
	if err != nil {
		return notUnbinding(w, err)
	}
	view := p.unbindView(r, u, credentials.UnbindInput{})
	if _, err := p.forms.Resume(r, &view, forms.SessionFlow(s), core.ForUnbind); err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, view, nil)
}

// viewUnbind shows the form with what was typed.
func (p *Pages) viewUnbind(w http.ResponseWriter, r *http.Request) error {
	var in credentials.UnbindInput
	web.Decode(r, &in)
	_, u, err := p.unbinding(r, in.AccountID)
	if err != nil {
		return notUnbinding(w, err)
	}
	return p.forms.RenderForm(w, r, p.unbindView(r, u, in), nil)
}

// submitUnbind answers POST /unbind. A form that is sent twice gets the answer of the first.
func (p *Pages) submitUnbind(w http.ResponseWriter, r *http.Request) error {
	var in credentials.UnbindInput
	web.Decode(r, &in)
	in.Token, in.Lang = p.web.SessionToken(r), string(locale.Of(r.Context()))
	in.Device = p.portal.Core.Sessions.DeviceID(p.web.Cookie(r, web.DeviceCookie))
	s, u, repeated, err := p.unbindingOnce(r, in)
	if err != nil {
		return notUnbinding(w, err)
	}
	if repeated {
		return p.unbound(w, r)
	}
	view := p.unbindView(r, u, in)
	if forms.AsksForCode(r) {
		return p.forms.SendCode(w, r, core.ForUnbind, p.portal.Binding.AskUnbindCode, view)
	}
	in.Session, in.Flow = s, forms.SessionFlow(s)
	err = p.portal.Binding.Unbind(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		if _, err := p.forms.Resume(r, &view, in.Flow, core.ForUnbind); err != nil {
			return err
		}
		return p.forms.RenderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	return p.unbound(w, r)
}

// unbindingOnce reads the account whose phone is unbound, unless the same form has unbound it before: repeated. It
// looks twice, because the first request may unbind the phone meanwhile.
func (p *Pages) unbindingOnce(
	r *http.Request, in credentials.UnbindInput,
) (s access.Session, u credentials.Unbinding, repeated bool, err error) {
	if repeated, err = p.unboundBefore(r, in); repeated || err != nil {
		return s, u, repeated, err
	}
	if s, u, err = p.unbinding(r, in.AccountID); access.IsRefused(err) {
		refusal := err
		if repeated, err = p.unboundBefore(r, in); !repeated && err == nil {
			err = refusal
		}
	}
	return s, u, repeated, err
}

// unboundBefore says whether this browser has unbound the phone with the same form before. The session may have ended
// since.
func (p *Pages) unboundBefore(r *http.Request, in credentials.UnbindInput) (bool, error) {
	if forms.AsksForCode(r) || in.Code == "" {
		return false, nil
	}
	s, err := p.web.SignedIn(r)
	if err != nil && !web.IsRefusal(err, access.LoginRequired) {
		return false, err
	}
	in.Session = s
	return p.portal.Binding.Unbound(r.Context(), in)
}

// unbound redirects after the phone is unbound. It reads the session again, which may have ended with the phone.
func (p *Pages) unbound(w http.ResponseWriter, r *http.Request) error {
	_, err := p.portal.Core.Sessions.SignedInAfterChange(r.Context(), web.PlaceOf(r.Context()))
	if web.IsRefusal(err, access.LoginRequired) { // the phone has no account left
		return web.SeeOther(w, "/login/account?done=unbound")
	}
	return web.SeeOther(w, "/accounts?all=1&done=unbound")
}
