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

// The paths of the sign-in by chat app.
const (
	wechatPath  = "/wechat"
	wechatBack  = "/wechat/callback" // where WeChat sends the browser back
	wecomPath   = "/wechatpro"
	linkPath    = "/wechat/link"
	confirmPath = "/wechat/confirm"
)

// beginAt returns the path at which the sign-in by a provider begins.
func beginAt(provider access.ProviderName) string {
	if provider == access.WeCom {
		return wecomPath
	}
	return wechatPath
}

// appName returns the provider's name in the reader's language.
func appName(r *http.Request, provider access.ProviderName) string {
	return locale.T(r.Context(), "chat.app_"+string(provider))
}

// beginWeChat sends the browser to WeChat, to the authorisation that fits the browser.
func (p *Pages) beginWeChat(w http.ResponseWriter, r *http.Request) error {
	return p.beginChat(w, r, access.WeChat)
}

// beginOrFinishWeCom begins an authorisation at WeCom. WeCom sends the browser back to the same path, with a code.
func (p *Pages) beginOrFinishWeCom(w http.ResponseWriter, r *http.Request) error {
	if query := r.URL.Query(); query.Has("code") || query.Has("state") {
		return p.finishChat(w, r, access.WeCom)
	}
	return p.beginChat(w, r, access.WeCom)
}

// finishWeChat handles the browser that comes back from WeChat.
func (p *Pages) finishWeChat(w http.ResponseWriter, r *http.Request) error {
	return p.finishChat(w, r, access.WeChat)
}

// beginChat redirects to a provider, with an authorisation for this browser.
func (p *Pages) beginChat(w http.ResponseWriter, r *http.Request, provider access.ProviderName) error {
	p.shared(w, r)
	if !placeOf(r.Context()).OwnDomain { // there the sign-in continues on the company's platform host
		p.noteReturn(w, r)
	}
	device := deviceOf(r, 0)
	address, err := p.portal.Chatlogin.BeginAuthorisation(r.Context(), chatlogin.BeginAuthorisationInput{
		Provider: provider,
		Place:    placeOf(r.Context()),
		Agent:    r.UserAgent(),
		Mobile:   device.Mobile(),
		Flow:     p.flowID(w, r),
		Known:    p.cookie(r, knownCookie) != "",
		Lighting: asksLighting(r.Context()),
		From:     r.URL.Query().Get("from"),
		Return:   askedReturn(r),
	})
	if errors.Is(err, access.WeChatFailed) {
		return p.renderNoChatApp(w, r, provider)
	}
	// Inside work-chat the redirect was silent, so the person gets the form instead of an error page.
	if errors.Is(err, access.TooManyAttempts) && chatapps.ChatAppOf(r.UserAgent()) == chatapps.InWorkChat {
		return seeOther(w, inEdition(r.Context(), "/login?done=wecom"))
	}
	if err != nil {
		return err
	}
	return seeOther(w, address)
}

// renderNoChatApp says in which browsers the sign-in by this provider works.
func (p *Pages) renderNoChatApp(w http.ResponseWriter, r *http.Request, provider access.ProviderName) error {
	ctx, app := r.Context(), appName(r, provider)
	p.renderState(w, r, http.StatusNotFound, components.State{
		Drawing: "d-locked",
		Heading: locale.T(ctx, "chat.no_door", "app", app),
		Body:    locale.T(ctx, "chat.no_door_body", "app", app),
		Action:  locale.T(ctx, "chat.otherwise"),
		Href:    formAddress(r),
	})
	return nil
}

// finishChat finishes an authorisation. The person is signed in, is asked first, sees the state of an application, or
// gets a ticket to connect an account. Nobody is signed in without a page that names the account.
func (p *Pages) finishChat(w http.ResponseWriter, r *http.Request, provider access.ProviderName) error {
	w.Header().Set("Referrer-Policy", "no-referrer") // the address holds a code
	query := r.URL.Query()
	in := chatlogin.CallbackInput{
		Provider: provider,
		Code:     query.Get("code"),
		State:    query.Get("state"),
		Flow:     p.cookie(r, flowCookie),
		Browser:  p.browserOf(r, false),
	}
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
	case came.Elsewhere != "":
		return seeOther(w, came.Elsewhere)
	case came.Login != nil:
		return p.chatSignedIn(w, r, *came.Login, noticeAuthorised+string(provider))
	case came.Application != 0:
		return seeOther(w, inEdition(r.Context(), "/register/result?id="+decimal(came.Application)))
	case came.Ask != "":
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

// forgetChat drops the cookies of an identity that is not connected yet, so that the next person at this browser cannot
// connect it.
func (p *Pages) forgetChat(w http.ResponseWriter) {
	p.dropCookie(w, identityCookie)
	p.dropCookie(w, linkingCookie)
}

// chatFailed redirects to a page that says why an authorisation failed and offers to try again or to sign in otherwise.
// It never authorises again by itself, which could loop.
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
	was := access.ProviderName(p.cookie(r, knownCookie))
	if provider == "" && (was == access.WeChat || was == access.WeCom) {
		provider = was
	}
	silent := provider == access.WeCom && chatapps.ChatAppOf(r.UserAgent()) == chatapps.InWorkChat
	if silent && refused.Refusal == access.WeChatFailed && !refused.Strange {
		p.setCookie(w, doneCookie, "wecom."+url.QueryEscape(refused.Detail), minuteSeconds)
		return seeOther(w, inEdition(r.Context(), "/login?done=wecom"))
	}
	if refused.Detail != "" {
		p.setCookie(w, doneCookie, "detail."+url.QueryEscape(refused.Detail), minuteSeconds)
	}
	return seeOther(w, inEdition(r.Context(), "/jumperror?reason="+string(refused.Refusal)+"&by="+string(provider)))
}

// renderStranger tells a person without an account at this company whom to ask, and how to sign in otherwise or to
// apply.
func (p *Pages) renderStranger(w http.ResponseWriter, r *http.Request, refused *access.Refused) error {
	ctx := r.Context()
	state := components.State{
		Drawing: "d-partner",
		Heading: refusalText(r, refused),
		People:  people(r, refused.Contacts),
		Action:  locale.T(ctx, "chat.otherwise"),
		Href:    formAddress(r),
	}
	if c := placeOf(ctx).Company; c != nil && c.ApplicationsOpen {
		state.Second, state.SecondHref = state.Action, state.Href
		state.Body, state.Action, state.Href = locale.T(ctx, "chat.join_body"), locale.T(
			ctx, "login.join",
		), "/register/more"
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

// maxDetail is the longest text of a provider that is shown, in bytes.
const maxDetail = 400
