package signin

import (
	"errors"
	"net/http"

	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
)

// ConfirmForm is the page that asks whether the chat app may sign in to an account. Nothing is typed there.
func (p *ChatPages) ConfirmForm() web.FormPage {
	return web.FormPage{Show: p.showConfirm, View: p.showConfirm, Submit: p.submitConfirm}
}

// showConfirm asks whether the chat app may sign in to the account that was just proven.
func (p *ChatPages) showConfirm(w http.ResponseWriter, r *http.Request) error {
	sealed := p.web.Cookie(r, web.LinkingCookie)
	if sealed == "" {
		return web.SeeOther(w, web.LinkPath)
	}
	linking, err := p.portal.Chatlogin.ReadLinking(r.Context(), sealed, p.web.Cookie(r, web.FlowCookie),
		web.PlaceOf(r.Context()))
	if err != nil {
		p.web.DropCookie(w, web.LinkingCookie)
		return p.ChatFailed(w, r, linking.Identity.Provider, err)
	}
	return p.forms.RenderForm(w, r, p.confirmView(r, linking), nil)
}

// confirmView returns the form that connects a chat app to an account. It lists the companies that the chat app will
// open.
func (p *ChatPages) confirmView(r *http.Request, l signin.Linking) forms.FormView {
	ctx, app := r.Context(), web.AppName(r, l.Identity.Provider)
	name := locale.T(ctx, "chat.yours", "app", app)
	if l.Identity.Nick != "" {
		name = locale.T(ctx, "chat.named", "app", app, "nick", l.Identity.Nick)
	}
	v := forms.FormView{
		Heading: locale.T(ctx, "chat.confirm_heading", "app", app),
		Lead:    locale.T(ctx, "chat.confirm_lead", "name", name, "account", l.Identity.Account()),
		Path:    web.ConfirmPath,
		List:    forms.PointList{Heading: locale.T(ctx, "chat.confirm_opens", "app", app)},
		Submit:  locale.T(ctx, "chat.confirm_submit"),
		Busy:    locale.T(ctx, "login.busy"),
		Hidden:  []forms.Hidden{{Name: "shown", Value: p.linkTag(l.Sealed)}},
		Main:    forms.FormButton{Name: "action", Value: "link"},
		Colour:  colourOf(MarkOf(l.Identity.Provider)),
		Extra:   []forms.FormButton{{Name: "action", Value: "cancel", Label: locale.T(ctx, "chat.confirm_cancel")}},
	}
	v.Identity = identityOf(r, l.Identity, l.Identity.Account())
	for _, c := range l.Companies {
		v.List.Items = append(v.List.Items, c.Name)
	}
	return v
}

// linkTag identifies the proven account in the form, so that the answer counts only for the account that was shown.
func (p *ChatPages) linkTag(sealed string) string {
	return p.portal.Core.Sessions.BrowserTag("link " + sealed)
}

// submitConfirm connects the chat app and signs the person in.
func (p *ChatPages) submitConfirm(w http.ResponseWriter, r *http.Request) error {
	sealed := p.web.Cookie(r, web.LinkingCookie)
	if sealed == "" {
		return web.SeeOther(w, web.LinkPath)
	}
	if err := p.web.CheckFormOrigin(r); err != nil {
		return err
	}
	// Another tab may have proven another account since.
	if shown := r.PostForm.Get("shown"); shown != "" && shown != p.linkTag(sealed) {
		return web.SeeOther(w, web.ConfirmPath)
	}
	flow := p.web.Cookie(r, web.FlowCookie)
	p.web.DropCookie(w, web.LinkingCookie)
	if r.PostForm.Get("action") != "link" {
		return web.SeeOther(w, web.LinkPath)
	}
	result, err := p.portal.Chatlogin.ConfirmLink(
		r.Context(), sealed, flow, string(locale.Of(r.Context())), p.web.BrowserOf(r, false),
	)
	// The chat identity is connected to another person by now: authorising again signs that person in.
	if errors.Is(err, access.WrongParameters) {
		err = &access.Refused{Refusal: access.WeChatExpired}
	}
	if err != nil {
		return p.ChatFailed(w, r, "", err)
	}
	return p.chatSignedIn(w, r, result, web.NoticeLinked+result.Session.Provider)
}

// renderRecognised asks a person who comes back from a chat app in a new browser whether the account is theirs. The
// answer is only valid with the cookie that this page sets.
func (p *ChatPages) renderRecognised(w http.ResponseWriter, r *http.Request, came signin.Callback, flow string) error {
	p.web.SetCookie(w, web.FlowCookie, flow, web.DaySeconds)
	p.web.SetCookie(w, web.KnownCookie, string(came.Identity.Provider), web.YearSeconds)
	r.AddCookie(p.web.NewCookie(web.FlowCookie, flow, 0)) // the form's token is made from this cookie
	return p.forms.RenderForm(w, r, p.recognisedView(r, came.Identity, came.ConfirmToken), nil)
}

// recognisedView returns the form that asks whether to sign in to the account of a chat identity.
func (p *ChatPages) recognisedView(r *http.Request, who signin.IdentityView, ask string) forms.FormView {
	ctx, account := r.Context(), who.Account()
	return forms.FormView{
		Heading: locale.T(ctx, "chat.recognised_heading", "account", account),
		Lead:    locale.T(ctx, "chat.recognised_lead", "app", web.AppName(r, who.Provider)),
		Path:    "/wechat/continue", Identity: identityOf(r, who, account),
		Submit: locale.T(ctx, "chat.recognised_submit", "account", account),
		Busy:   locale.T(ctx, "login.busy"),
		Main:   forms.FormButton{Name: "action", Value: "continue"},
		Colour: colourOf(MarkOf(who.Provider)),
		Hidden: []forms.Hidden{{Name: "ask", Value: ask}},
		Links:  []web.PageLink{{Label: locale.T(ctx, "chat.recognised_not"), Href: FormAddress(r)}},
	}
}

// RecognisedForm is the form that asks whether to sign in to an account. The page at which a chat app's authorisation
// arrives shows it.
func (p *ChatPages) RecognisedForm() web.FormPage {
	return web.FormPage{View: p.viewRecognised, Submit: p.submitRecognised}
}

// viewRecognised asks the same again.
func (p *ChatPages) viewRecognised(w http.ResponseWriter, r *http.Request) error {
	ask := r.PostForm.Get("ask")
	who, err := p.portal.Chatlogin.IdentityToConfirm(r.Context(), ask, p.web.Cookie(r, web.FlowCookie),
		web.PlaceOf(r.Context()))
	if err != nil {
		return p.ChatFailed(w, r, who.Provider, err)
	}
	return p.forms.RenderForm(w, r, p.recognisedView(r, who, ask), nil)
}

// submitRecognised signs in to the account that the form named. The sealed form expires soon and is valid in this
// browser and on this host only.
func (p *ChatPages) submitRecognised(w http.ResponseWriter, r *http.Request) error {
	if err := p.web.CheckFormOrigin(r); err != nil {
		return err
	}
	ask, flow := r.PostForm.Get("ask"), p.web.Cookie(r, web.FlowCookie)
	who, err := p.portal.Chatlogin.IdentityToConfirm(r.Context(), ask, flow, web.PlaceOf(r.Context()))
	if err != nil {
		return p.ChatFailed(w, r, who.Provider, err)
	}
	result, err := p.portal.Chatlogin.ConfirmSignIn(r.Context(), ask, flow, p.web.BrowserOf(r, false))
	if err != nil {
		return p.ChatFailed(w, r, who.Provider, err)
	}
	return p.chatSignedIn(w, r, result, web.NoticeAuthorised+string(who.Provider))
}
