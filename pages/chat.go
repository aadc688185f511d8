package pages

import (
	"errors"
	"net/http"
	"net/url"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/signin"
	"portico/portal/verification"
)

// The addresses of the doors of chat apps.
const (
	wechatPath  = "/wechat"
	wechatBack  = "/wechat/callback"
	wecomPath   = "/wechatpro"
	linkPath    = "/wechat/link"
	confirmPath = "/wechat/confirm"
)

// beginAt is where a provider's door begins.
func beginAt(provider access.ProviderName) string {
	if provider == access.WeCom {
		return wecomPath
	}
	return wechatPath
}

func appName(r *http.Request, provider access.ProviderName) string {
	return locale.T(r.Context(), "chat.app_"+string(provider))
}

// beginWeChat sends the browser to WeChat by the door that fits it.
func (p *Pages) beginWeChat(w http.ResponseWriter, r *http.Request) error {
	return p.beginChat(w, r, access.WeChat)
}

// wecomDoor begins without a code and ends with one.
func (p *Pages) wecomDoor(w http.ResponseWriter, r *http.Request) error {
	if query := r.URL.Query(); query.Has("code") || query.Has("state") {
		return p.finishChat(w, r, access.WeCom)
	}
	return p.beginChat(w, r, access.WeCom)
}

func (p *Pages) finishWeChat(w http.ResponseWriter, r *http.Request) error {
	return p.finishChat(w, r, access.WeChat)
}

func (p *Pages) beginChat(w http.ResponseWriter, r *http.Request, provider access.ProviderName) error {
	p.shared(w, r)
	if !placeOf(r.Context()).OwnDomain { // the person signs in on the company's platform host
		p.noteReturn(w, r)
	}
	device := deviceOf(r, 0)
	address, err := p.portal.Chatlogin.BeginAuthorisation(r.Context(), chatlogin.BeginAuthorisationInput{
		Provider: provider, Place: placeOf(r.Context()), Agent: r.UserAgent(), Mobile: device.Mobile(), Flow: p.flowID(w, r),
		Known: p.cookie(r, knownCookie) != "", Lighting: asksLighting(r.Context()),
		From: r.URL.Query().Get("from"), Return: askedReturn(r),
	})
	if errors.Is(err, access.WeChatFailed) {
		return p.noDoor(w, r, provider)
	}
	if errors.Is(err, access.TooManyAttempts) && chatapps.ChatAppOf(r.UserAgent()) == chatapps.InWorkChat { // nobody pressed anything
		return seeOther(w, inEdition(r.Context(), "/login?done=wecom"))
	}
	if err != nil {
		return err
	}
	return seeOther(w, address)
}

// noDoor says where the door can be used.
func (p *Pages) noDoor(w http.ResponseWriter, r *http.Request, provider access.ProviderName) error {
	ctx, app := r.Context(), appName(r, provider)
	p.renderState(w, r, http.StatusNotFound, components.State{
		Drawing: "d-locked", Heading: locale.T(ctx, "chat.no_door", "app", app), Body: locale.T(ctx, "chat.no_door_body", "app", app),
		Action: locale.T(ctx, "chat.otherwise"), Href: otherWay(r),
	})
	return nil
}

// finishChat ends an authorisation: signed in, on to where an application stands, or to a choice; nobody is signed in
// unseen.
func (p *Pages) finishChat(w http.ResponseWriter, r *http.Request, provider access.ProviderName) error {
	w.Header().Set("Referrer-Policy", "no-referrer") // the address holds a code
	query := r.URL.Query()
	in := chatlogin.CallbackInput{Provider: provider, Code: query.Get("code"), State: query.Get("state"), Flow: p.cookie(r, flowCookie), Browser: p.browserOf(r, false)}
	flow := in.Flow
	if flow == "" {
		flow = verification.NewFlow()
		in.Fresh = flow
	}
	came, err := p.portal.Chatlogin.FinishAuthorisation(r.Context(), in)
	if came.Lighting {
		visitOf(r.Context()).lighting = true
	}
	switch {
	case err != nil:
		return p.chatFailed(w, r, provider, err)
	case came.RedirectURL != "":
		return seeOther(w, came.RedirectURL)
	case came.Login != nil:
		return p.chatSignedIn(w, r, *came.Login, noticeAuthorised+string(provider))
	case came.Application != 0:
		return seeOther(w, inEdition(r.Context(), "/register/result?id="+decimal(came.Application)))
	case came.ConfirmToken != "":
		return p.renderRecognised(w, r, came, flow)
	}
	p.setCookie(w, identityCookie, came.Ticket, int(signin.IdentityTicketLife.Seconds()))
	p.setCookie(w, knownCookie, string(provider), yearSeconds)
	return seeOther(w, inEdition(r.Context(), linkPath))
}

// chatSignedIn sets the browser's session and continues as after any other sign-in. The next page shows the notice.
func (p *Pages) chatSignedIn(
	w http.ResponseWriter, r *http.Request, result signin.LoginResult, notice string,
) error {
	p.setSession(w, r, result)
	visitOf(r.Context()).notice = notice
	p.setCookie(w, knownCookie, "1", yearSeconds)
	return p.next(w, r, result.Session, result.Step)
}

// forgetChat forgets who came from a chat app and what was proven for them: whoever uses this browser next must find
// nothing to say yes to.
func (p *Pages) forgetChat(w http.ResponseWriter) {
	p.dropCookie(w, identityCookie)
	p.dropCookie(w, linkingCookie)
}

// chatFailed says what became of an authorisation, with the way to authorise again and the ways without: never by
// itself, so that nothing goes round in circles.
func (p *Pages) chatFailed(w http.ResponseWriter, r *http.Request, provider access.ProviderName, err error) error {
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
	if was := access.ProviderName(p.cookie(r, knownCookie)); provider == "" && (was == access.WeChat || was == access.WeCom) {
		provider = was
	}
	if provider == access.WeCom && chatapps.ChatAppOf(r.UserAgent()) == chatapps.InWorkChat && refused.Refusal == access.WeChatFailed && !refused.Strange {
		p.setCookie(w, doneCookie, "wecom."+url.QueryEscape(refused.Detail), minuteSeconds)
		return seeOther(w, inEdition(r.Context(), "/login?done=wecom"))
	}
	if refused.Detail != "" {
		p.setCookie(w, doneCookie, "detail."+url.QueryEscape(refused.Detail), minuteSeconds)
	}
	return seeOther(w, inEdition(r.Context(), "/jumperror?reason="+string(refused.Refusal)+"&by="+string(provider)))
}

// renderStranger is for whoever has no account at this company: whom to ask, and the ways there are.
func (p *Pages) renderStranger(w http.ResponseWriter, r *http.Request, refused *access.Refused) error {
	ctx := r.Context()
	state := components.State{
		Drawing: "d-partner", Heading: refusalText(r, refused), People: people(r, refused.Contacts), Action: locale.T(ctx, "chat.otherwise"), Href: otherWay(r),
	}
	if c := placeOf(ctx).Company; c != nil && c.ApplicationsOpen {
		state.Second, state.SecondHref = state.Action, state.Href
		state.Body, state.Action, state.Href = locale.T(ctx, "chat.join_body"), locale.T(ctx, "login.join"), "/register/more"
	}
	p.renderState(w, r, http.StatusUnprocessableEntity, state)
	return nil
}

// flashDetail returns, once, what the provider said about a sign-in that has just failed.
func (p *Pages) flashDetail(w http.ResponseWriter, r *http.Request, done string) string {
	was := p.cookie(r, doneCookie)
	if len(was) <= len(done) || was[:len(done)+1] != done+"." {
		return ""
	}
	p.dropCookie(w, doneCookie)
	detail, err := url.QueryUnescape(was[len(done)+1:])
	if err != nil || len(detail) > maxDetail {
		return ""
	}
	return detail
}

// maxDetail is the longest text of a provider shown, in bytes.
const maxDetail = 400
