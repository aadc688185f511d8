package pages

import (
	"errors"
	"net/http"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/chatlogin"
)

// showConfirm asks whether the chat app may sign in to the account that was just proven.
func (p *Pages) showConfirm(w http.ResponseWriter, r *http.Request) error {
	sealed := p.cookie(r, linkingCookie)
	if sealed == "" {
		return seeOther(w, linkPath)
	}
	linking, err := p.portal.Chatlogin.ReadLinking(r.Context(), sealed, p.cookie(r, flowCookie), placeOf(r.Context()))
	if err != nil {
		p.dropCookie(w, linkingCookie)
		return p.chatFailed(w, r, linking.Who.Provider, err)
	}
	return p.renderForm(w, r, p.confirmView(r, linking), nil)
}

// confirmView returns the form that connects a chat app to an account. It lists the companies that the chat app will
// open.
func (p *Pages) confirmView(r *http.Request, l chatlogin.Linking) formView {
	ctx, app := r.Context(), appName(r, l.Who.Provider)
	name := locale.T(ctx, "chat.yours", "app", app)
	if l.Who.Nick != "" {
		name = locale.T(ctx, "chat.named", "app", app, "nick", l.Who.Nick)
	}
	v := formView{
		Heading: locale.T(ctx, "chat.confirm_heading", "app", app),
		Lead:    locale.T(ctx, "chat.confirm_lead", "name", name, "account", l.Who.Account()),
		Path:    confirmPath,
		List:    pointList{Heading: locale.T(ctx, "chat.confirm_opens", "app", app)},
		Submit:  locale.T(ctx, "chat.confirm_submit"),
		Busy:    locale.T(ctx, "login.busy"),
		Hidden:  []hidden{{"shown", p.linkTag(l.Sealed)}},
		Main:    formButton{Name: "action", Value: "link"},
		Extra:   []formButton{{"action", "cancel", locale.T(ctx, "chat.confirm_cancel")}},
	}
	for _, c := range l.Companies {
		v.List.Items = append(v.List.Items, c.Name)
	}
	return v
}

// linkTag identifies the proven account in the form, so that the answer counts only for the account that was shown.
func (p *Pages) linkTag(sealed string) string { return p.portal.Sessions.BrowserTag("link " + sealed) }

// submitConfirm connects the chat app and signs the person in.
func (p *Pages) submitConfirm(w http.ResponseWriter, r *http.Request) error {
	sealed := p.cookie(r, linkingCookie)
	if sealed == "" {
		return seeOther(w, linkPath)
	}
	if err := p.refuseForeignChatForm(r); err != nil {
		return err
	}
	// Another tab may have proven another account since.
	if shown := r.PostForm.Get("shown"); shown != "" && shown != p.linkTag(sealed) {
		return seeOther(w, confirmPath)
	}
	flow := p.cookie(r, flowCookie)
	if again, switched := p.switchedLang(w, r); switched {
		linking, err := p.portal.Chatlogin.ReadLinking(again.Context(), sealed, flow, placeOf(again.Context()))
		if err != nil {
			return p.chatFailed(w, r, linking.Who.Provider, err)
		}
		return p.renderForm(w, again, p.confirmView(again, linking), nil)
	}
	p.dropCookie(w, linkingCookie)
	if r.PostForm.Get("action") != "link" {
		return seeOther(w, linkPath)
	}
	result, err := p.portal.Chatlogin.ConfirmLink(
		r.Context(), sealed, flow, string(locale.Of(r.Context())), p.browserOf(r, false),
	)
	// The chat identity is connected to another person by now: authorising again signs that person in.
	if errors.Is(err, access.WrongParameters) {
		err = &access.Refused{Refusal: access.WeChatExpired}
	}
	if err != nil {
		return p.chatFailed(w, r, "", err)
	}
	return p.chatSignedIn(w, r, result, noticeLinked+result.Session.Provider)
}

// renderRecognised asks a person who comes back from a chat app in a new browser whether the account is theirs. The
// answer is only valid with the cookie that this page sets.
func (p *Pages) renderRecognised(w http.ResponseWriter, r *http.Request, came chatlogin.Callback, flow string) error {
	p.setCookie(w, flowCookie, flow, daySeconds)
	p.setCookie(w, knownCookie, string(came.Who.Provider), yearSeconds)
	r.AddCookie(p.newCookie(flowCookie, flow, 0)) // the form's token is made from this cookie
	return p.renderForm(w, r, p.recognisedView(r, came.Who, came.Ask), nil)
}

// recognisedView returns the form that asks whether to sign in to the account of a chat identity.
func (p *Pages) recognisedView(r *http.Request, who chatlogin.IdentityView, ask string) formView {
	ctx, account := r.Context(), who.Account()
	return formView{
		Heading: locale.T(ctx, "chat.recognised_heading", "account", account),
		Lead:    locale.T(ctx, "chat.recognised_lead", "app", appName(r, who.Provider)),
		Path:    "/wechat/continue",
		Submit:  locale.T(ctx, "chat.recognised_submit", "account", account),
		Busy:    locale.T(ctx, "login.busy"),
		Main:    formButton{Name: "action", Value: "continue"},
		Hidden:  []hidden{{"ask", ask}},
		Links:   []pageLink{{locale.T(ctx, "chat.recognised_not"), formAddress(r)}},
	}
}

// submitRecognised signs in to the account that the form named. The sealed form expires soon and is valid in this
// browser and on this host only.
func (p *Pages) submitRecognised(w http.ResponseWriter, r *http.Request) error {
	if err := p.refuseForeignChatForm(r); err != nil {
		return err
	}
	ask, flow := r.PostForm.Get("ask"), p.cookie(r, flowCookie)
	who, err := p.portal.Chatlogin.ReadAsk(r.Context(), ask, flow, placeOf(r.Context()))
	if err != nil {
		return p.chatFailed(w, r, who.Provider, err)
	}
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderForm(w, again, p.recognisedView(again, who, ask), nil)
	}
	result, err := p.portal.Chatlogin.ConfirmSignIn(r.Context(), ask, flow, p.browserOf(r, false))
	if err != nil {
		return p.chatFailed(w, r, who.Provider, err)
	}
	return p.chatSignedIn(w, r, result, noticeAuthorised+string(who.Provider))
}
