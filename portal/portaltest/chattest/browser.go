package chattest

import (
	"context"
	"fmt"
	"net/url"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/portal/verification"
	"strings"
	"testing"
)

const InWeChat = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) " +
	"AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.53(0x18003531) NetType/WIFI " +
	"Language/zh_CN"

const InWeCom = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) " +
	"AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 wxwork/4.1.30 MicroMessenger/7.0.1 Language/zh " +
	"ColorScheme/Light"

const OnDesktop = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) " +
	"AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// Browser is one, at a host, with the id that its cookie holds: "" where it lost it.
type Browser struct {
	P       *ChatPlatform
	Host    string
	Agent   string
	Mobile  bool
	Flow    string
	Fresh   string // the id it is given where it has none
	Address string
	Known   bool
	Old     string // the session it holds
}

func (p *ChatPlatform) Browser(host, agent string) *Browser {
	p.People++
	return &Browser{
		P:       p,
		Host:    host,
		Agent:   agent,
		Mobile:  strings.Contains(agent, "Mobile"),
		Flow:    verification.NewFlow(),
		Address: fmt.Sprintf("10.9.8.%d", p.People),
	}
}

// WithoutCookie is the same browser after it lost its cookie.
func (b *Browser) WithoutCookie() *Browser {
	other := *b
	other.Flow, other.Old = "", ""
	return &other
}

func (b *Browser) AtHost(host string) *Browser {
	other := *b
	other.Host = host
	return &other
}

func (b *Browser) Context() context.Context {
	ctx := access.WithCaller(b.P.T.Context(), access.Caller{RequestID: "r-2", Address: b.Address, Agent: b.Agent})
	if b.Old == "" {
		return ctx
	}
	return b.P.Sessions.LoadSession(ctx, b.Old)
}

func (b *Browser) Browser() access.Browser {
	b.P.T.Helper()
	return access.Browser{Place: b.P.Place(b.Host)}
}

// Authorisation is one to a provider, as the address there has it.
type Authorisation struct {
	Provider             access.ProviderName
	App, Redirect, State string
	Scope                chatapps.Scope
}

// TryBegin begins an authorisation; a company's own domain redirects the browser to the company's platform host first.
func (b *Browser) TryBegin(provider access.ProviderName) (Authorisation, error) {
	b.P.T.Helper()
	in := chatlogin.BeginAuthorisationInput{
		Provider: provider, Place: b.P.Place(b.Host), Agent: b.Agent, Mobile: b.Mobile, Flow: b.Flow, Known: b.Known,
	}
	address, err := b.P.Chatlogin.BeginAuthorisation(b.Context(), in)
	if err == nil && in.Place.OwnDomain {
		var u *url.URL
		u, err = url.Parse(address)
		portaltest.NoError(b.P.T, err)
		in.Place, in.From = b.P.Place(u.Host), u.Query().Get("from")
		address, err = b.P.Chatlogin.BeginAuthorisation(b.Context(), in)
	}
	if err != nil {
		return Authorisation{}, err
	}
	return ParseAuthorisation(b.P.T, provider, address), nil
}

func ParseAuthorisation(t *testing.T, provider access.ProviderName, address string) Authorisation {
	t.Helper()
	u, err := url.Parse(address)
	portaltest.NoError(t, err)
	q := u.Query()
	return Authorisation{
		Provider: provider,
		App:      q.Get("app"),
		Redirect: q.Get("redirect"),
		State:    q.Get("state"),
		Scope:    chatapps.Scope(q.Get("scope")),
	}
}

// Begin begins an authorisation.
func (b *Browser) Begin(provider access.ProviderName) Authorisation {
	b.P.T.Helper()
	w, err := b.TryBegin(provider)
	portaltest.NoError(b.P.T, err)
	b.P.States = append(b.P.States, w.State)
	return w
}

// Finish is a callback.
func (b *Browser) Finish(w Authorisation, code string) (chatlogin.Callback, error) {
	b.P.T.Helper()
	return b.P.Chatlogin.FinishAuthorisation(
		b.Context(),
		chatlogin.CallbackInput{
			Provider: w.Provider,
			Code:     code,
			State:    w.State,
			Flow:     b.Flow,
			Fresh:    b.Fresh,
			Browser:  b.Browser(),
		},
	)
}

// Authorise goes all the way there and back, by the platform's account host where that is the way.
func (b *Browser) Authorise(provider access.ProviderName, who chatapps.ProviderIdentity) (chatlogin.Callback, error) {
	b.P.T.Helper()
	w := b.Begin(provider)
	return b.Finish(w, b.P.Provider(provider).Grant(w.App, who))
}

// SignIn is somebody who comes back signed in.
func (b *Browser) SignIn(provider access.ProviderName, who chatapps.ProviderIdentity) signin.LoginResult {
	b.P.T.Helper()
	back, err := b.Authorise(provider, who)
	portaltest.NoError(b.P.T, err)
	if back.Login == nil || back.ConfirmToken != "" || back.Ticket != "" || back.Application != 0 ||
		back.RedirectURL != "" {
		b.P.T.Fatalf("not signed in: %+v", back)
	}
	return *back.Login
}

// UnknownTicket is somebody who comes back and signs nobody in: the ticket.
func (b *Browser) UnknownTicket(provider access.ProviderName, who chatapps.ProviderIdentity) string {
	b.P.T.Helper()
	back, err := b.Authorise(provider, who)
	portaltest.NoError(b.P.T, err)
	if back.Ticket == "" || back.Login != nil || back.ConfirmToken != "" || back.Application != 0 ||
		back.RedirectURL != "" {
		b.P.T.Fatalf("not unknown: %+v", back)
	}
	return back.Ticket
}

// Outcome is what comes of an identity, in a word.
func (b *Browser) Outcome(provider access.ProviderName, who chatapps.ProviderIdentity) string {
	b.P.T.Helper()
	switch back, err := b.Authorise(provider, who); {
	case err != nil:
		return err.Error()
	case back.Login != nil:
		return "signed in"
	case back.Ticket != "":
		return "unknown"
	}
	return "something else"
}

// AskConfirmation is a callback of somebody recognised whose browser lost its cookie.
func (b *Browser) AskConfirmation(provider access.ProviderName, who chatapps.ProviderIdentity) chatlogin.Callback {
	b.P.T.Helper()
	w := b.Begin(provider)
	lost := b.WithoutCookie()
	lost.Fresh = b.Flow
	back, err := lost.Finish(w, b.P.Provider(provider).Grant(w.App, who))
	portaltest.NoError(b.P.T, err)
	if back.ConfirmToken == "" || back.Login != nil || back.Ticket != "" || back.Application != 0 {
		b.P.T.Fatalf("not asked: %+v", back)
	}
	return back
}

func (b *Browser) ConfirmSignIn(ask string) (signin.LoginResult, error) {
	b.P.T.Helper()
	return b.P.Chatlogin.ConfirmSignIn(b.Context(), ask, b.Flow, b.Browser())
}
