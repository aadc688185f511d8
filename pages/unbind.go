package pages

import (
	"errors"
	"net/http"
	"strconv"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/binding"
	"portico/portal/verification"
)

func (p *Pages) unbindView(r *http.Request, u binding.Unbinding, in binding.UnbindInput) formView {
	ctx := r.Context()
	code := codeField(r)
	code.Value = in.Code
	v := formView{
		Heading: locale.T(ctx, "unbind.heading"), Lead: locale.T(ctx, "unbind.lead", "phone", access.MaskPhone(u.Member.Phone), "login", u.Member.Login, "company", u.Member.Company.Name),
		Path: "/unbind", Fields: []components.Field{code}, Sending: sendingFor(verification.ForUnbind, 0),
		Hidden: []hidden{{"account_id", strconv.FormatInt(u.Member.ID, 10)}},
		Submit: locale.T(ctx, "unbind.submit"), Busy: locale.T(ctx, "care.busy"),
		Links: []pageLink{{locale.T(ctx, "phone.instead"), "/phone"}, {locale.T(ctx, "care.back"), "/accounts"}},
	}
	switch {
	case u.NewPassword:
		v.Note = locale.T(ctx, "unbind.needs_password", "login", u.Member.Login)
		v.Fields = append(v.Fields, p.newPasswordFields(r)...)
	case u.Confirm:
		v.Fields = append(v.Fields, passwordField(r, "password", "unbind.password", "current-password"))
	}
	return v
}

// unbinding reads the account whose phone is unbound. done says that the request was redirected to the list of
// accounts: the person has to choose one there, or the account has no phone.
func (p *Pages) unbinding(
	w http.ResponseWriter, r *http.Request, accountID int64,
) (s access.Session, u binding.Unbinding, done bool, err error) {
	if s, err = p.signedIn(r); err != nil {
		return s, u, false, err
	}
	u, err = p.portal.Binding.Unbindable(r.Context(), s, accountID)
	if isRefusal(err, access.ValidationFailed, access.WrongParameters) {
		return s, u, true, seeOther(w, "/accounts?all=1")
	}
	return s, u, false, err
}

func (p *Pages) showUnbind(w http.ResponseWriter, r *http.Request) error {
	id, _ := access.DecimalID(r.URL.Query().Get("account_id"))
	s, u, done, err := p.unbinding(w, r, id)
	if isRefusal(err, access.NotFound) { // perhaps the phone was unbound and the response was lost
		just, failed := p.portal.Binding.JustUnbound(r.Context(), s, id)
		if failed != nil {
			return failed
		}
		if just {
			return seeOther(w, "/accounts?all=1&done=unbound")
		}
	}
	if done || err != nil {
		return err
	}
	view := p.unbindView(r, u, binding.UnbindInput{})
	if _, err := p.resume(r, &view, sessionFlow(s), verification.ForUnbind); err != nil {
		return err
	}
	return p.renderForm(w, r, view, nil)
}

func (p *Pages) submitUnbind(w http.ResponseWriter, r *http.Request) error {
	var in binding.UnbindInput
	decode(r, &in)
	in.Token, in.Lang = p.sessionToken(r), string(locale.Of(r.Context()))
	in.Device = p.portal.Sessions.DeviceID(p.cookie(r, deviceCookie))
	if repeated, err := p.unboundBefore(r, in); repeated || err != nil {
		if err != nil {
			return err
		}
		return p.unbound(w, r)
	}
	s, u, done, err := p.unbinding(w, r, in.AccountID)
	if done || err != nil {
		return err
	}
	view := p.unbindView(r, u, in)
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderForm(w, again, p.unbindView(again, u, in), nil)
	}
	if asksForCode(r) {
		return p.sendCode(w, r, verification.ForUnbind, view)
	}
	in.Session, in.Flow = s, sessionFlow(s)
	err = p.portal.Binding.Unbind(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		if _, err := p.resume(r, &view, in.Flow, verification.ForUnbind); err != nil {
			return err
		}
		return p.renderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	return p.unbound(w, r)
}

// unboundBefore says whether this browser has unbound the phone with the same form before. The session may have ended
// since.
func (p *Pages) unboundBefore(r *http.Request, in binding.UnbindInput) (bool, error) {
	if asksForCode(r) || in.Code == "" {
		return false, nil
	}
	s, err := p.signedIn(r)
	if err != nil && !isRefusal(err, access.LoginRequired) {
		return false, err
	}
	in.Session = s
	return p.portal.Binding.Unbound(r.Context(), in)
}

// unbound redirects after the phone is unbound. It reads the session again, which may have ended with the phone.
func (p *Pages) unbound(w http.ResponseWriter, r *http.Request) error {
	_, err := p.portal.Sessions.SignedInAfterChange(r.Context(), placeOf(r.Context()))
	if isRefusal(err, access.LoginRequired) { // the phone has no account left
		return seeOther(w, "/login/account?done=unbound")
	}
	return seeOther(w, "/accounts?all=1&done=unbound")
}
