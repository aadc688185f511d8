package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/chatlogin"
	"portico/portal/onboarding"
	"portico/portal/verification"
)

// registerWeChatView makes a company with the chat app as its way in: no password is asked for.
func (p *Pages) registerWeChatView(r *http.Request, who chatlogin.IdentityView, in onboarding.RegisterInput) formView {
	ctx, app := r.Context(), appName(r, who.Provider)
	code := codeField(r)
	code.Value = in.Code
	lead := locale.T(ctx, "chat.register_lead", "app", app)
	if who.Nick != "" { // whose chat app it is that will sign in
		lead = locale.T(ctx, "chat.register_lead_nick", "app", app, "nick", who.Nick)
	}
	v := formView{
		Heading: locale.T(ctx, "register.heading"), Lead: lead,
		Path: "/register/wechat", Progress: registerStages(r, 0), Submit: locale.T(ctx, "register.submit"), Busy: locale.T(ctx, "register.creating"),
		Sending: sendingFor(verification.ForRegister, 0, "phone", "add", forIdentity),
		Hidden:  []hidden{{forIdentity, "1"}},
		Fields: []components.Field{
			phoneField(r, in.Phone), code,
			{ID: "name", Label: locale.T(ctx, "register.name"), Value: in.Name, Complete: "name", Max: access.MaxName},
			{ID: "company_name", Label: locale.T(ctx, "register.company_name"), Value: in.CompanyName, Complete: "organization", Max: access.MaxCompanyName},
		},
		Links: []pageLink{{locale.T(ctx, "chat.to_link"), linkPath}, {locale.T(ctx, "register.to_login"), formAddress(r)}},
	}
	p.agreeBox(r, &v, in.Agree)
	return v
}

// identityHere reads who comes from a chat app to register; gone says that the reader was sent on: to authorise where
// that works here, or to the ordinary form.
func (p *Pages) identityHere(
	w http.ResponseWriter, r *http.Request,
) (who chatlogin.IdentityView, ticket string, gone bool, err error) {
	if elsewhere, err := p.redirectToApplication(w, r); elsewhere {
		return who, "", true, err
	}
	if p.cookie(r, identityCookie) == "" {
		if r.Method == http.MethodPost { // browsers let no form lead to another site
			return who, "", true, p.identityExpired(w, r)
		}
		if doors := p.doors(r); len(doors) > 0 {
			return who, "", true, seeOther(w, inEdition(r.Context(), beginAt(doors[0].Provider())))
		}
		return who, "", true, seeOther(w, inEdition(r.Context(), "/register"))
	}
	who, ticket, gone, err = linkPage{p: p}.ticket(w, r)
	if !gone && err == nil && p.portal.Chatapps.ManagerClosedTo(who.Provider) {
		p.renderManagerClosed(w, r)
		return who, "", true, nil
	}
	return who, ticket, gone, err
}

// renderManagerClosed says that a sign-in by WeChat could not enter the new company's back office, and offers to
// register with a password.
func (p *Pages) renderManagerClosed(w http.ResponseWriter, r *http.Request) {
	p.renderState(w, r, http.StatusUnprocessableEntity, components.State{
		Drawing: "d-locked", Heading: refusalText(r, &access.Refused{Refusal: access.WeChatManagerClosed}),
		Action: locale.T(r.Context(), "chat.register_with_password"), Href: "/register",
		Second: locale.T(r.Context(), "chat.to_link"), SecondHref: linkPath,
	})
}

func (p *Pages) showRegisterWeChat(w http.ResponseWriter, r *http.Request) error {
	who, _, gone, err := p.identityHere(w, r)
	if gone || err != nil {
		return err
	}
	p.shared(w, r)
	view := p.registerWeChatView(r, who, onboarding.RegisterInput{Name: who.Nick})
	if _, err := p.resume(r, &view, p.identityFlow(r, p.cookie(r, flowCookie)), verification.ForRegister); err != nil {
		return err
	}
	return p.renderForm(w, r, view, nil)
}

func (p *Pages) submitRegisterWeChat(w http.ResponseWriter, r *http.Request) error {
	who, ticket, gone, err := p.identityHere(w, r)
	if gone || err != nil {
		return err
	}
	if err := p.refuseForeignChatForm(r); err != nil {
		return err
	}
	var in onboarding.RegisterInput
	decode(r, &in)
	in.Add, in.SandboxID, in.Agree = false, 0, p.agreesToCurrent(r, in.Agree)
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderForm(w, again, p.registerWeChatView(again, who, in), nil)
	}
	view := p.registerWeChatView(r, who, in)
	if asksForCode(r) {
		return p.sendCodeOr(w, r, verification.ForRegister, view, func(refused *access.Refused) formView { return withLink(r, view, refused) })
	}
	in.Ticket, in.Flow, in.Lang, in.Version = ticket, p.cookie(r, flowCookie), string(locale.Of(r.Context())), p.agreement(r).Version
	in.Browser = p.browserOf(r, false)
	result, err := p.portal.Onboarding.Register(r.Context(), in)
	refused := new(access.Refused)
	switch {
	case errors.As(err, &refused) && correctable(refused):
		if _, err := p.resume(r, &view, p.identityFlow(r, in.Flow), verification.ForRegister); err != nil {
			return err
		}
		return p.renderForm(w, r, withLink(r, view, refused), refused)
	case refused.Refusal != "":
		return p.chatFailed(w, r, who.Provider, err)
	case err != nil:
		return err
	}
	if err := p.setSignedIn(w, r, result.LoginResult); err != nil {
		return err
	}
	return p.registered(w, result.Member)
}

// withLink offers somebody whose phone is registered to connect that account instead.
func withLink(r *http.Request, v formView, refused *access.Refused) formView {
	if refused.Refusal == access.PhoneRegistered {
		v.Refusal.Links = []pageLink{{locale.T(r.Context(), "chat.to_link"), linkPath}}
	}
	return v
}
