package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/credentials"
)

// passwordView is the page that changes a password. first says that it replaces a first password, before the person may
// do anything else.
func (p *Pages) passwordView(r *http.Request, s access.Session, first bool) (formView, error) {
	ctx := r.Context()
	v := formView{
		Heading: locale.T(ctx, "password.heading"), Lead: locale.T(ctx, "password.lead"), Path: "/password",
		Fields: append([]components.Field{passwordField(r, "old_password", "password.old", "current-password")}, p.newPasswordFields(r)...),
		Submit: locale.T(ctx, "password.submit"), Busy: locale.T(ctx, "care.busy"),
		Links: []pageLink{{locale.T(ctx, "login.forgot"), "/forget/phone"}, {locale.T(ctx, "care.back"), "/accounts"}},
	}
	if first {
		v.Heading, v.Lead, v.Submit = locale.T(ctx, "first_password.heading"), locale.T(ctx, "first_password.lead"), locale.T(ctx, "first_password.submit")
		v.Fields[0].Label, v.Links = locale.T(ctx, "person.first"), []pageLink{{locale.T(ctx, "blocked.other"), "/login/account"}}
	}
	own, err := p.portal.Revocation.WithOwnPassword(ctx, s)
	if len(own) > 0 {
		v.List.Heading = locale.T(ctx, "password.own")
		for _, m := range own {
			v.List.Items = append(v.List.Items, m.Company.Name+" · "+m.Login)
		}
		// Ticked when the form is opened, and as the person left it when it comes back.
		ticked := !r.PostForm.Has("password") || r.PostForm.Get("end_passwords") == "1"
		v.Check = checkBox{Name: "end_passwords", Label: locale.T(ctx, "password.end_own"), Checked: ticked}
	}
	return v, err
}

// renderPassword writes the page, with what was refused.
func (p *Pages) renderPassword(
	w http.ResponseWriter, r *http.Request, s access.Session, first bool, refused *access.Refused,
) error {
	v, err := p.passwordView(r, s, first)
	if err != nil {
		return err
	}
	return p.renderForm(w, r, v, refused)
}

// changing reads the session that changes its password, and whether that is a first password.
func (p *Pages) changing(r *http.Request) (s access.Session, first bool, err error) {
	if s, err = p.signedIn(r); err == nil {
		first, err = p.portal.Credentials.HasFirstPassword(r.Context(), s)
	}
	return s, first, err
}

func (p *Pages) showPassword(w http.ResponseWriter, r *http.Request) error {
	s, first, err := p.changing(r)
	if err != nil {
		return err
	}
	return p.renderPassword(w, r, s, first, nil)
}

func (p *Pages) submitPassword(w http.ResponseWriter, r *http.Request) error {
	s, first, err := p.changing(r)
	if err != nil {
		return err
	}
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderPassword(w, again, s, first, nil)
	}
	var in credentials.ChangePasswordInput
	decode(r, &in)
	in.Session, in.Device, in.Lang = s, p.portal.Sessions.DeviceID(p.cookie(r, deviceCookie)), string(locale.Of(r.Context()))
	token, err := p.portal.Credentials.ChangePassword(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return p.renderPassword(w, r, s, first, refused)
	}
	if err != nil {
		return err
	}
	p.renewSession(w, r, s, token)
	if !first {
		return seeOther(w, "/accounts?done=password")
	}
	if s, err = p.portal.Sessions.SignedIn(r.Context(), placeOf(r.Context())); err != nil {
		return err
	}
	step, err := p.portal.Binding.ContinueSignIn(r.Context(), s)
	if err != nil {
		return err
	}
	return p.next(w, r, s, step)
}

// renewSession sets the session's cookie to a new value. A repeated request has none (""): the cookie stays as it is.
func (p *Pages) renewSession(w http.ResponseWriter, r *http.Request, s access.Session, token string) {
	if token == "" {
		return
	}
	p.writeSession(w, r, token, s.EndsAt, s.Remember)
}
