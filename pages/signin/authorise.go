package signin

import (
	"errors"
	"net/http"
	"net/url"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
)

const (
	WechatPath = "/wechat"
	WechatBack = "/wechat/callback" // where WeChat sends the browser back
	WecomPath  = "/wechatpro"
)

// BeginAt returns the path at which the sign-in by a provider begins.
func BeginAt(provider access.ProviderName) string {
	if provider == access.WeCom {
		return WecomPath
	}
	return WechatPath
}

// BeginWeChat sends the browser to WeChat, to the authorisation that fits the browser.
func (p *ChatPages) BeginWeChat(w http.ResponseWriter, r *http.Request) error {
	return p.BeginChat(w, r, access.WeChat)
}

// BeginOrFinishWeCom begins an authorisation at WeCom. WeCom sends the browser back to the same path, with a code.
func (p *ChatPages) BeginOrFinishWeCom(w http.ResponseWriter, r *http.Request) error {
	if query := r.URL.Query(); query.Has("code") || query.Has("state") {
		return p.finishChat(w, r, access.WeCom)
	}
	return p.BeginChat(w, r, access.WeCom)
}

// FinishWeChat handles the browser that comes back from WeChat.
func (p *ChatPages) FinishWeChat(w http.ResponseWriter, r *http.Request) error {
	return p.finishChat(w, r, access.WeChat)
}

// BeginChat redirects to a provider, with an authorisation for this browser.
func (p *ChatPages) BeginChat(w http.ResponseWriter, r *http.Request, provider access.ProviderName) error {
	p.web.KeepSharer(w, r)
	if !web.PlaceOf(r.Context()).OwnDomain { // there the sign-in continues on the company's platform host
		p.web.NoteReturn(w, r)
	}
	device := web.DeviceOf(r, 0)
	address, err := p.portal.Chatlogin.BeginAuthorisation(r.Context(), signin.BeginAuthorisationInput{
		Provider: provider,
		Place:    web.PlaceOf(r.Context()),
		Agent:    r.UserAgent(),
		Mobile:   device.Mobile(),
		Flow:     p.forms.FlowID(w, r),
		Known:    p.web.Cookie(r, web.KnownCookie) != "",
		Lighting: web.AsksLighting(r.Context()),
		From:     r.URL.Query().Get("from"),
		Return:   web.AskedReturn(r),
	})
	if errors.Is(err, access.WeChatFailed) {
		return p.renderNoChatApp(w, r, provider)
	}
	// Inside WeCom the redirect was silent, so the person gets the form instead of an error page.
	if errors.Is(err, access.TooManyAttempts) && signin.ChatAppOf(r.UserAgent()) == signin.InWorkChat {
		return web.SeeOther(w, web.InEdition(r.Context(), "/login?done=wecom"))
	}
	if err != nil {
		return err
	}
	return web.SeeOther(w, address)
}

// renderNoChatApp says in which browsers the sign-in by this provider works.
func (p *ChatPages) renderNoChatApp(w http.ResponseWriter, r *http.Request, provider access.ProviderName) error {
	ctx, app := r.Context(), web.AppName(r, provider)
	scene := components.SceneWeChat
	if provider == access.WeCom {
		scene = components.SceneWorkChat
	}
	p.web.RenderState(w, r, http.StatusNotFound, components.State{
		Scene:   scene,
		Heading: locale.T(ctx, "chat.no_door", "app", app),
		Body:    locale.T(ctx, "chat.no_door_body", "app", app),
		Action:  locale.T(ctx, "chat.otherwise"),
		Href:    FormAddress(r),
	})
	return nil
}

// finishChat finishes an authorisation. The person is signed in, is asked first, sees the state of an application, or
// gets a ticket to connect an account. Nobody is signed in without a page that names the account.
func (p *ChatPages) finishChat(w http.ResponseWriter, r *http.Request, provider access.ProviderName) error {
	w.Header().Set("Referrer-Policy", "no-referrer") // the address contains a code
	query := r.URL.Query()
	in := signin.CallbackInput{
		Provider: provider,
		Code:     query.Get("code"),
		State:    query.Get("state"),
		Flow:     p.web.Cookie(r, web.FlowCookie),
		Browser:  p.web.BrowserOf(r, false),
	}
	flow := in.Flow
	if flow == "" {
		flow = core.NewFlow()
		in.Fresh = flow
	}
	came, err := p.portal.Chatlogin.FinishAuthorisation(r.Context(), in)
	if came.Lighting {
		web.VisitOf(r.Context()).Lighting = true
	}
	switch {
	case err != nil:
		return p.ChatFailed(w, r, provider, err)
	case came.RedirectURL != "":
		return web.SeeOther(w, came.RedirectURL)
	case came.Login != nil:
		return p.chatSignedIn(w, r, *came.Login, web.NoticeAuthorised+string(provider))
	case came.Application != 0:
		return web.SeeOther(w, web.InEdition(r.Context(),
			"/register/result?id="+web.Decimal(came.Application)))
	case came.ConfirmToken != "":
		return p.renderRecognised(w, r, came, flow)
	}
	p.web.SetCookie(w, web.IdentityCookie, came.Ticket, int(signin.IdentityTicketLife.Seconds()))
	p.web.SetCookie(w, web.KnownCookie, string(provider), web.YearSeconds)
	return web.SeeOther(w, web.InEdition(r.Context(), web.LinkPath))
}

// chatSignedIn sets the browser's session and continues as after any other sign-in. The next page shows the notice.
func (p *ChatPages) chatSignedIn(
	w http.ResponseWriter, r *http.Request, result signin.LoginResult, notice string,
) error {
	p.entry.SetSession(w, r, result)
	web.VisitOf(r.Context()).Notice = notice
	p.web.SetCookie(w, web.KnownCookie, "1", web.YearSeconds)
	return p.entry.Next(w, r, result.Session, result.Step)
}

// ChatFailed redirects to a page that says why an authorisation failed and offers to try again or to sign in otherwise.
// It never authorises again by itself, which could loop.
func (p *ChatPages) ChatFailed(w http.ResponseWriter, r *http.Request, provider access.ProviderName, err error) error {
	refused, ok := errors.AsType[*access.Refused](err)
	if !ok || refused.Company != nil {
		return err
	}
	switch refused.Refusal {
	case access.WeChatExpired, access.WeChatFailed:
	case access.NotInCompany, access.PhoneNotBound, access.AccountNotFound:
		return p.renderStranger(w, r, refused)
	default:
		return err
	}
	known := access.ProviderName(p.web.Cookie(r, web.KnownCookie))
	if provider == "" && (known == access.WeChat || known == access.WeCom) {
		provider = known
	}
	silent := provider == access.WeCom && signin.ChatAppOf(r.UserAgent()) == signin.InWorkChat
	if silent && refused.Refusal == access.WeChatFailed && !refused.Strange {
		p.web.SetCookie(w, web.DoneCookie, "wecom."+url.QueryEscape(refused.Detail), web.MinuteSeconds)
		return web.SeeOther(w, web.InEdition(r.Context(), "/login?done=wecom"))
	}
	if refused.Detail != "" {
		p.web.SetCookie(w, web.DoneCookie, "detail."+url.QueryEscape(refused.Detail), web.MinuteSeconds)
	}
	return web.SeeOther(w, web.InEdition(r.Context(),
		"/jumperror?reason="+string(refused.Refusal)+"&by="+string(provider)))
}

// renderStranger answers a person without an account at this company. The page names the people who can help, and links
// to another sign-in and to the application.
func (p *ChatPages) renderStranger(w http.ResponseWriter, r *http.Request, refused *access.Refused) error {
	ctx := r.Context()
	state := components.State{
		Scene:   components.SceneStranger,
		Heading: locale.T(ctx, "chat.stranger"),
		Body:    web.RefusalText(r, refused),
		People:  web.People(r, refused.Contacts),
		Action:  locale.T(ctx, "chat.otherwise"),
		Href:    FormAddress(r),
	}
	if c := web.PlaceOf(ctx).Company; c != nil && c.ApplicationsOpen {
		state.Second, state.SecondHref = state.Action, state.Href
		state.Action, state.Href = locale.T(ctx, "login.join"), "/register/more"
	}
	p.web.RenderState(w, r, http.StatusUnprocessableEntity, state)
	return nil
}

// FlashDetail returns, once, what the provider said about a sign-in that has just failed.
func (p *ChatPages) FlashDetail(w http.ResponseWriter, r *http.Request, done string) string {
	flash := p.web.Cookie(r, web.DoneCookie)
	if len(flash) <= len(done) || flash[:len(done)+1] != done+"." {
		return ""
	}
	p.web.DropCookie(w, web.DoneCookie)
	detail, err := url.QueryUnescape(flash[len(done)+1:])
	if err != nil || len(detail) > maxDetail {
		return ""
	}
	return detail
}

// maxDetail is the longest text of a provider that is shown, in bytes.
const maxDetail = 400
