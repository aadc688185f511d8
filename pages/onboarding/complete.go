package onboarding

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
	"portico/portal/onboarding"
)

// invitationOf returns the invitation of a link. Without a token it returns the one that the company's host shows,
// which has a phone and a name only for an applicant. ok is false when the link is not valid, and without a token on a
// host that belongs to no company.
func (p *Pages) invitationOf(r *http.Request, token string) (invitation credentials.Invitation, ok bool, err error) {
	if token != "" {
		return p.portal.Credentials.Invitation(r.Context(), token)
	}
	if c := web.PlaceOf(r.Context()).Company; c != nil {
		invitation, err = p.portal.Onboarding.InvitationHere(r.Context(), *c,
			p.web.Cookie(r, web.ApplicantCookie))
		return invitation, err == nil, err
	}
	return invitation, false, nil
}

// completeView returns the form that sets an account up, with what was typed. It asks for a code, unless the phone was
// just proven and is not known to have a password. It asks for the password of a phone that is known to have one,
// unless the person chose to set a new password.
func (p *Pages) completeView(
	r *http.Request, in onboarding.CompleteInput, invitation credentials.Invitation,
) forms.FormView {
	ctx := r.Context()
	code := forms.CodeField(r)
	code.Value = in.Code
	v := forms.FormView{
		Heading: locale.T(ctx, "complete.heading"),
		Lead:    locale.T(ctx, "complete.lead", "company", invitation.Company.Name),
		Path:    "/register/complete",
		Fields: []components.Field{
			forms.PhoneField(r, in.Phone), code,
			{ID: "name", Label: locale.T(ctx, "register.name"), Value: in.Name, Complete: "name", Max: access.MaxName},
		},
		Sending: forms.SendingFor(core.ForShopRegister, 0, "phone", "invite"),
		Submit:  locale.T(ctx, "complete.submit"),
		Busy:    locale.T(ctx, "care.busy"),
		Links:   []web.PageLink{{Label: locale.T(ctx, "register.to_login"), Href: "/login"}},
	}
	phone, ok := p.portal.Onboarding.ApplicantNow(p.web.Cookie(r, web.ApplicantCookie), invitation.CompanyID)
	proven := ok && in.Code == "" && phone == invitation.Phone
	switch {
	case invitation.HasPassword:
		v.Lead = locale.T(ctx, "complete.known_lead", "company", invitation.Company.Name)
	case proven:
		v.Fields = v.Fields[2:]
		v.Sending = components.CodeSending{}
		v.Username = phone
		v.Hidden = append(v.Hidden, forms.Hidden{Name: "phone", Value: phone})
		v.Lead = locale.T(ctx, "complete.proven_lead", "company", invitation.Company.Name)
	}
	switch {
	case in.New:
		v.Lead = locale.T(ctx, "complete.new_lead")
		v.Hidden = append(v.Hidden, forms.Hidden{Name: "new", Value: "1"})
		v.Fields = append(v.Fields, p.forms.NewPasswordFields(r)...)
	case invitation.HasPassword:
		v.Fields = append(v.Fields, forms.PasswordField(r, "password", "bind.password", "current-password"))
		v.Extra = []forms.FormButton{{Name: "action", Value: "new_password",
			Label: locale.T(ctx, "complete.new_password")}}
	default:
		v.Fields = append(v.Fields, p.forms.NewPasswordFields(r)...)
	}
	if in.Invite != "" {
		v.Hidden = append(v.Hidden, forms.Hidden{Name: "invite", Value: in.Invite})
		// The masked number is a hint for the holder and useless to others.
		if phone := v.Field("phone"); phone != nil && !invitation.SetUp {
			phone.Hint = locale.T(ctx, "complete.invited_phone", "phone", access.MaskPhone(invitation.Phone))
		}
	}
	return v
}

// CompleteForm is the page on which an invited person sets the account up.
func (p *Pages) CompleteForm() web.FormPage {
	return web.FormPage{Show: p.showComplete, View: p.viewComplete, Submit: p.submitComplete}
}

// showComplete shows the form, or says why the account cannot be set up here.
func (p *Pages) showComplete(w http.ResponseWriter, r *http.Request) error {
	in := onboarding.CompleteInput{Invite: r.URL.Query().Get("invite")}
	invitation, ok, err := p.invitationOf(r, in.Invite)
	if err != nil {
		return err
	}
	switch {
	case !ok && in.Invite == "":
		return p.renderWithoutLink(w, r)
	case !ok:
		return p.renderUninvited(w, r)
	case invitation.SetUp:
		return p.renderSetUp(w, r)
	}
	in.Name = invitation.Name
	if in.Invite == "" { // this person has just proven the phone; a link may be read by anybody
		in.Phone = components.GroupPhone(invitation.Phone)
	}
	view := p.completeView(r, in, invitation)
	if _, err := p.forms.Resume(r, &view, p.web.Cookie(r, web.FlowCookie),
		core.ForShopRegister); err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, view, nil)
}

// renderWithoutLink says that an account is set up with an invitation link. On a host that belongs to no company, only
// the link says which company's account is meant.
func (p *Pages) renderWithoutLink(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	p.web.RenderState(w, r, http.StatusOK, components.State{
		Scene:   components.SceneLocked,
		Heading: locale.T(ctx, "complete.heading"), Body: locale.T(ctx, "complete.by_link"),
		Action: locale.T(ctx, "login.join"), Href: "/register/more",
		Second: locale.T(ctx, "care.back_to_login"), SecondHref: "/login",
	})
	return nil
}

// renderUninvited says that the invitation link is not valid or has expired.
func (p *Pages) renderUninvited(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	p.web.RenderState(w, r, http.StatusNotFound, components.State{
		Scene:   components.SceneBroken,
		Heading: locale.T(ctx, "complete.no_link"), Body: locale.T(ctx, "complete.no_link_body"),
		Action: locale.T(ctx, "care.back_to_login"), Href: "/login",
	})
	return nil
}

// renderSetUp says that the account of this link was set up already. It does not say whose account it is.
func (p *Pages) renderSetUp(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	p.web.RenderState(w, r, http.StatusNotFound, components.State{
		Scene:   components.SceneLocked,
		Heading: locale.T(ctx, "complete.used"), Body: locale.T(ctx, "complete.used_body"),
		Action: locale.T(ctx, "care.back_to_login"), Href: "/login",
	})
	return nil
}

// viewComplete shows the form with what was typed.
func (p *Pages) viewComplete(w http.ResponseWriter, r *http.Request) error {
	var in onboarding.CompleteInput
	web.Decode(r, &in)
	invitation, ok, err := p.invitationOf(r, in.Invite)
	if err != nil {
		return err
	}
	if !ok {
		return p.renderUninvited(w, r)
	}
	return p.forms.RenderForm(w, r, p.completeView(r, in, invitation), nil)
}

// submitComplete sets the account up and signs the person in.
func (p *Pages) submitComplete(w http.ResponseWriter, r *http.Request) error {
	var in onboarding.CompleteInput
	web.Decode(r, &in)
	invitation, ok, err := p.invitationOf(r, in.Invite)
	if err != nil {
		return err
	}
	if !ok {
		return p.renderUninvited(w, r)
	}
	if r.PostForm.Has("password") && !r.PostForm.Has("confirm_password") { // the form for a phone that has a password
		invitation.HasPassword = true
	}
	if r.PostForm.Get("action") == "new_password" {
		in.New = true
		return p.forms.RenderForm(w, r, p.completeView(r, in, invitation), nil)
	}
	view := p.completeView(r, in, invitation)
	if forms.AsksForCode(r) {
		return p.forms.SendCode(w, r, core.ForShopRegister, p.portal.Onboarding.AskCompleteCode, view)
	}
	if err := p.application.CheckApplicantForm(r); err != nil && in.Code == "" {
		return err
	}
	in.Ticket = p.web.Cookie(r, web.ApplicantCookie)
	in.Flow = p.web.Cookie(r, web.FlowCookie)
	in.CompanyID = invitation.CompanyID
	in.Browser = p.web.BrowserOf(r, false)
	in.Lang = string(locale.Of(r.Context()))
	result, err := p.portal.Onboarding.Complete(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		if _, err := p.forms.Resume(r, &view, in.Flow, core.ForShopRegister); err != nil {
			return err
		}
		if refused.Fields["password"] == access.PasswordKept { // ask for the phone's password instead
			invitation.HasPassword = true
			view = p.completeView(r, in, invitation)
		}
		if refused.Refusal == access.PhoneRegistered {
			view.Refusal.Links = []web.PageLink{{Label: locale.T(r.Context(), "register.to_login"), Href: "/login"}}
		}
		return p.forms.RenderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	if err := p.entry.SetSessionCookies(w, r, result.LoginResult); err != nil {
		return err
	}
	p.web.DropCookie(w, web.ApplicantCookie)
	return p.entry.RedirectSignedIn(w, r, result.LoginResult)
}
