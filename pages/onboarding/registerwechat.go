package onboarding

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	signinpages "portico/pages/signin"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/signin"
)

// registerWeChatView returns the form that registers a company whose administrator signs in by chat app. It has no
// password.
func (p *Pages) registerWeChatView(
	r *http.Request, who signin.IdentityView, in onboarding.RegisterInput,
) forms.FormView {
	ctx, app := r.Context(), web.AppName(r, who.Provider)
	code := forms.CodeField(r)
	code.Value = in.Code
	lead := locale.T(ctx, "chat.register_lead", "app", app)
	if who.Nick != "" { // names the person in the chat app
		lead = locale.T(ctx, "chat.register_lead_nick", "app", app, "nick", who.Nick)
	}
	v := forms.FormView{
		Heading: locale.T(ctx, "register.heading"), Lead: lead,
		Path: "/register/wechat", Progress: forms.RegisterStages(r, 0), Submit: locale.T(ctx, "register.submit"),
		Busy:    locale.T(ctx, "register.creating"),
		Sending: forms.SendingFor(core.ForRegister, 0, "phone", "add", forms.ForIdentity),
		Hidden:  []forms.Hidden{{Name: forms.ForIdentity, Value: "1"}},
		Fields: []components.Field{
			forms.PhoneField(r, in.Phone), code,
			{ID: "name", Label: locale.T(ctx, "register.name"), Value: in.Name, Complete: "name", Max: access.MaxName},
			{ID: "company_name", Label: locale.T(ctx, "register.company_name"), Value: in.CompanyName,
				Complete: "organization", Max: access.MaxCompanyName},
		},
		Links: []web.PageLink{{Label: locale.T(ctx, "chat.to_link"), Href: web.LinkPath},
			{Label: locale.T(ctx, "register.to_login"), Href: signinpages.FormAddress(r)}},
	}
	p.entry.AgreeBox(r, &v, in.Agree)
	return v
}

// identityHere returns the chat identity that registers. gone reports that it has redirected the request: to authorise,
// or to the form without a chat app.
func (p *Pages) identityHere(
	w http.ResponseWriter, r *http.Request,
) (who signin.IdentityView, ticket string, gone bool, err error) {
	if elsewhere, err := p.redirectToApplication(w, r); elsewhere {
		return who, "", true, err
	}
	if p.web.Cookie(r, web.IdentityCookie) == "" {
		if r.Method == http.MethodPost { // the form-action of the page forbids a redirect to another site
			return who, "", true, p.chatlogin.IdentityExpired(w, r)
		}
		if doors := p.chatlogin.Methods(r); len(doors) > 0 {
			return who, "", true, web.SeeOther(w,
				web.InEdition(r.Context(), signinpages.BeginAt(doors[0].Provider())))
		}
		return who, "", true, web.SeeOther(w, web.InEdition(r.Context(), "/register"))
	}
	who, ticket, gone, err = signinpages.LinkPage{P: p.chatlogin}.Ticket(w, r)
	if !gone && err == nil && p.portal.Chatapps.ManagerClosedTo(who.Provider) {
		p.renderManagerClosed(w, r)
		return who, "", true, nil
	}
	return who, ticket, gone, err
}

// renderManagerClosed says that a sign-in by WeChat could not enter the new company's back office, and offers to
// register with a password.
func (p *Pages) renderManagerClosed(w http.ResponseWriter, r *http.Request) {
	p.web.RenderState(w, r, http.StatusUnprocessableEntity, components.State{
		Scene:   components.SceneLocked,
		Heading: web.RefusalText(r, &access.Refused{Refusal: access.WeChatManagerClosed}),
		Action:  locale.T(r.Context(), "chat.register_with_password"), Href: "/register",
		Second: locale.T(r.Context(), "chat.to_link"), SecondHref: web.LinkPath,
	})
}

// RegisterWeChatForm is the page that registers a company for a person who came with WeChat.
func (p *Pages) RegisterWeChatForm() web.FormPage {
	return web.FormPage{Show: p.showRegisterWeChat, View: p.viewRegisterWeChat, Submit: p.submitRegisterWeChat}
}

// showRegisterWeChat answers GET /register/wechat: the form that registers a company for a person who came with WeChat.
func (p *Pages) showRegisterWeChat(w http.ResponseWriter, r *http.Request) error {
	who, _, gone, err := p.identityHere(w, r)
	if gone || err != nil {
		return err
	}
	p.web.KeepSharer(w, r)
	view := p.registerWeChatView(r, who, onboarding.RegisterInput{Name: who.Nick})
	if _, err := p.forms.Resume(r, &view, p.forms.IdentityFlow(r, p.web.Cookie(r, web.FlowCookie)),
		core.ForRegister); err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, view, nil)
}

// registerWeChatInput reads the form.
func (p *Pages) registerWeChatInput(r *http.Request) onboarding.RegisterInput {
	var in onboarding.RegisterInput
	web.Decode(r, &in)
	in.Add = false
	in.SandboxID = 0
	in.Agree = p.entry.AgreesToCurrent(r, in.Agree)
	return in
}

// viewRegisterWeChat shows the form with what was typed.
func (p *Pages) viewRegisterWeChat(w http.ResponseWriter, r *http.Request) error {
	who, _, gone, err := p.identityHere(w, r)
	if gone || err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, p.registerWeChatView(r, who, p.registerWeChatInput(r)), nil)
}

// submitRegisterWeChat answers POST /register/wechat and connects the WeChat identity to the new account.
func (p *Pages) submitRegisterWeChat(w http.ResponseWriter, r *http.Request) error {
	who, ticket, gone, err := p.identityHere(w, r)
	if gone || err != nil {
		return err
	}
	if err := p.web.CheckFormOrigin(r); err != nil {
		return err
	}
	in := p.registerWeChatInput(r)
	view := p.registerWeChatView(r, who, in)
	if forms.AsksForCode(r) {
		return p.forms.SendCodeOr(w, r, core.ForRegister, p.portal.Onboarding.AskRegisterCode, view,
			func(refused *access.Refused) forms.FormView { return withLink(r, view, refused) })
	}
	in.Ticket = ticket
	in.Flow = p.web.Cookie(r, web.FlowCookie)
	in.Lang = string(locale.Of(r.Context()))
	in.Version = p.entry.Agreement(r).Version
	in.Browser = p.web.BrowserOf(r, false)
	result, err := p.portal.Onboarding.Register(r.Context(), in)
	refused := new(access.Refused)
	switch {
	case errors.As(err, &refused) && signinpages.Correctable(refused):
		if _, err := p.forms.Resume(r, &view, p.forms.IdentityFlow(r, in.Flow), core.ForRegister); err != nil {
			return err
		}
		return p.forms.RenderForm(w, r, withLink(r, view, refused), refused)
	case refused.Refusal != "":
		return p.chatlogin.ChatFailed(w, r, who.Provider, err)
	case err != nil:
		return err
	}
	if err := p.entry.SetSessionCookies(w, r, result.LoginResult); err != nil {
		return err
	}
	return p.registered(w, result.Member)
}

// withLink adds a link to connect the chat app to the account of a registered phone.
func withLink(r *http.Request, v forms.FormView, refused *access.Refused) forms.FormView {
	if refused.Refusal == access.PhoneRegistered {
		v.Refusal.Links = []web.PageLink{{Label: locale.T(r.Context(), "chat.to_link"), Href: web.LinkPath}}
	}
	return v
}
