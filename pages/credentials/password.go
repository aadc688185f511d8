package credentials

import (
	"cmp"
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/credentials"
)

// passwordView is the page that changes a password. first says that it replaces a first password, before the person may
// do anything else.
func (p *Pages) passwordView(r *http.Request, s access.Session, first bool) (forms.FormView, error) {
	ctx := r.Context()
	v := forms.FormView{
		Heading: locale.T(ctx, "password.heading"), Lead: locale.T(ctx, "password.lead"), Path: "/password",
		Fields: append([]components.Field{forms.PasswordField(r, "old_password", "password.old", "current-password")},
			p.forms.NewPasswordFields(r)...),
		Submit: locale.T(ctx, "password.submit"), Busy: locale.T(ctx, "care.busy"),
		Links: []web.PageLink{{Label: locale.T(ctx, "login.forgot"), Href: "/forget/phone"},
			{Label: locale.T(ctx, "care.back"), Href: web.SecurityPath}},
	}
	if first {
		v.Heading = locale.T(ctx, "first_password.heading")
		v.Lead = locale.T(ctx, "first_password.lead")
		v.Submit = locale.T(ctx, "first_password.submit")
		v.Fields[0].Label, v.Links = locale.T(ctx, "person.first"),
			[]web.PageLink{{Label: locale.T(ctx, "blocked.other"), Href: "/login/account"}}
	}
	owner, err := p.portal.Credentials.SessionOwner(ctx, s)
	if err != nil {
		return v, err
	}
	v.Username = cmp.Or(owner.Person.Phone, owner.Member.Login)
	own, err := p.portal.Core.Revocation.WithOwnPassword(ctx, s)
	if len(own) > 0 {
		v.List.Heading = locale.T(ctx, "password.own")
		for _, m := range own {
			v.List.Items = append(v.List.Items, m.Company.Name+" · "+m.Login)
		}
		// Ticked when the form is opened, and as the person left it when it comes back.
		ticked := !r.PostForm.Has("password") || r.PostForm.Get("end_passwords") == "1"
		v.Check = forms.CheckBox{Name: "end_passwords", Label: locale.T(ctx, "password.end_own"), Checked: ticked}
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
	return p.forms.RenderForm(w, r, v, refused)
}

// changing reads the session that changes its password, and whether that is a first password.
func (p *Pages) changing(r *http.Request) (s access.Session, first bool, err error) {
	if s, err = p.web.SignedIn(r); err == nil {
		first, err = p.portal.Credentials.HasFirstPassword(r.Context(), s)
	}
	return s, first, err
}

// PasswordForm is the page that changes a password.
func (p *Pages) PasswordForm() web.FormPage {
	return web.FormPage{Show: p.showPassword, View: p.showPassword, Submit: p.submitPassword}
}

// showPassword answers GET /password: the form that changes the password, or replaces a first one. Passwords are not
// shown again, only whether the box was ticked.
func (p *Pages) showPassword(w http.ResponseWriter, r *http.Request) error {
	s, first, err := p.changing(r)
	if err != nil {
		return err
	}
	return p.renderPassword(w, r, s, first, nil)
}

// submitPassword answers POST /password.
func (p *Pages) submitPassword(w http.ResponseWriter, r *http.Request) error {
	s, first, err := p.changing(r)
	if err != nil {
		return err
	}
	var in credentials.ChangePasswordInput
	web.Decode(r, &in)
	in.Session = s
	in.Device = p.portal.Core.Sessions.DeviceID(p.web.Cookie(r, web.DeviceCookie))
	in.Lang = string(locale.Of(r.Context()))
	token, err := p.portal.Credentials.ChangePassword(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return p.renderPassword(w, r, s, first, refused)
	}
	if err != nil {
		return err
	}
	p.renewSession(w, r, s, token)
	if !first {
		return web.SeeOther(w, "/accounts?done=password")
	}
	if s, err = p.portal.Core.Sessions.SignedIn(r.Context(), web.PlaceOf(r.Context())); err != nil {
		return err
	}
	step, err := p.portal.Binding.ContinueSignIn(r.Context(), s)
	if err != nil {
		return err
	}
	return p.entry.Next(w, r, s, step)
}

// renewSession sets the session's cookie to a new value. A repeated request has none (""): the cookie stays as it is.
func (p *Pages) renewSession(w http.ResponseWriter, r *http.Request, s access.Session, token string) {
	if token == "" {
		return
	}
	p.web.WriteSession(w, r, token, s.EndsAt, s.Remember)
}
