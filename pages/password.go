package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal"
)

func (p *Pages) passwordView(r *http.Request) careView {
	ctx := r.Context()
	return careView{
		Heading: locale.T(ctx, "password.heading"), Lead: locale.T(ctx, "password.lead"), Path: "/password",
		Fields: append([]components.Field{passwordField(r, "old_password", "password.old", "current-password")}, p.newPasswordFields(r)...),
		Submit: locale.T(ctx, "password.submit"), Busy: locale.T(ctx, "care.busy"),
		Links: []pageLink{{locale.T(ctx, "login.forgot"), "/forget/phone"}, {locale.T(ctx, "care.back"), "/accounts"}},
	}
}

func (p *Pages) showPassword(w http.ResponseWriter, r *http.Request) error {
	if _, err := p.signedIn(r); err != nil {
		return err
	}
	return p.renderCare(w, r, p.passwordView(r), nil)
}

func (p *Pages) submitPassword(w http.ResponseWriter, r *http.Request) error {
	s, err := p.signedIn(r)
	if err != nil {
		return err
	}
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderCare(w, again, p.passwordView(again), nil)
	}
	var in portal.ChangePasswordInput
	decode(r, &in)
	in.Session, in.Device, in.Lang = s, p.portal.DeviceID(p.cookie(r, deviceCookie)), string(locale.Of(r.Context()))
	token, err := p.portal.ChangePassword(r.Context(), in)
	refused := new(portal.Refused)
	if errors.As(err, &refused) {
		return p.renderCare(w, r, p.passwordView(r), refused)
	}
	if err != nil {
		return err
	}
	p.renewSession(w, s, token)
	return seeOther(w, "/accounts?done=password")
}

// renewSession hands the browser the new id of its session.
func (p *Pages) renewSession(w http.ResponseWriter, s portal.Session, token string) {
	seconds := 0
	if s.Remember {
		seconds = monthSeconds
	}
	p.setCookie(w, sessionCookie, token, seconds)
}
