// Package chattest starts platforms with stand-ins of WeChat and WeCom, and signs in and connects by them in tests.
package chattest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/signin"
)

// InWeChat is the User-Agent of WeChat's browser on a phone.
const InWeChat = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) " +
	"AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.53(0x18003531) NetType/WIFI " +
	"Language/zh_CN"

// InWeCom is the User-Agent of WeCom's browser on a phone.
const InWeCom = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) " +
	"AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 wxwork/4.1.30 MicroMessenger/7.0.1 Language/zh " +
	"ColorScheme/Light"

// OnDesktop is the User-Agent of a browser on a computer.
const OnDesktop = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) " +
	"AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// Browser is a browser at a host. Flow is the id in its sign-in cookie, "" if the cookie was lost; then the site gives
// it the id Fresh. Old is the cookie of its session.
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

// Browser returns a new browser at a host, with a User-Agent and an IP address of its own.
func (p *ChatPlatform) Browser(host, agent string) *Browser {
	p.People++
	return &Browser{
		P:       p,
		Host:    host,
		Agent:   agent,
		Mobile:  strings.Contains(agent, "Mobile"),
		Flow:    core.NewFlow(),
		Address: fmt.Sprintf("10.9.8.%d", p.People),
	}
}

// WithoutCookie returns the same browser after it lost its cookies.
func (b *Browser) WithoutCookie() *Browser {
	other := *b
	other.Flow, other.Old = "", ""
	return &other
}

// AtHost returns the same browser at another host.
func (b *Browser) AtHost(host string) *Browser {
	other := *b
	other.Host = host
	return &other
}

// Context returns the context of a request of the browser, with its session if it has one.
func (b *Browser) Context() context.Context {
	ctx := access.WithCaller(b.P.T.Context(), access.Caller{RequestID: "r-2", Address: b.Address, Agent: b.Agent})
	if b.Old == "" {
		return ctx
	}
	return b.P.Sessions.LoadSession(ctx, b.Old)
}

// Browser returns the facts about the browser that the operations take.
func (b *Browser) Browser() access.Browser {
	b.P.T.Helper()
	return access.Browser{Place: b.P.Place(b.Host)}
}

// Authorisation is an authorisation at a chat app, read from the address that it was begun with.
type Authorisation struct {
	Provider             access.ProviderName
	App, Redirect, State string
	Scope                signin.Scope
}

// TryBegin begins an authorisation and returns it, or the refusal. At a company's own domain it follows the redirect to
// the company's host on the platform first.
func (b *Browser) TryBegin(provider access.ProviderName) (Authorisation, error) {
	b.P.T.Helper()
	in := signin.BeginAuthorisationInput{
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

// ParseAuthorisation reads an authorisation from its address. It fails the test if the address is not a URL.
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
		Scope:    signin.Scope(q.Get("scope")),
	}
}

// Begin begins an authorisation. It fails the test if that is refused.
func (b *Browser) Begin(provider access.ProviderName) Authorisation {
	b.P.T.Helper()
	w, err := b.TryBegin(provider)
	portaltest.NoError(b.P.T, err)
	b.P.States = append(b.P.States, w.State)
	return w
}

// Finish makes the callback of an authorisation with a code and returns the operation's result.
func (b *Browser) Finish(w Authorisation, code string) (signin.Callback, error) {
	b.P.T.Helper()
	return b.P.Chatlogin.FinishAuthorisation(
		b.Context(),
		signin.CallbackInput{
			Provider: w.Provider,
			Code:     code,
			State:    w.State,
			Flow:     b.Flow,
			Fresh:    b.Fresh,
			Browser:  b.Browser(),
		},
	)
}

// Authorise begins an authorisation, consents as a person and makes the callback. It returns the result of the
// callback.
func (b *Browser) Authorise(provider access.ProviderName, who signin.ProviderIdentity) (signin.Callback, error) {
	b.P.T.Helper()
	w := b.Begin(provider)
	return b.Finish(w, b.P.Provider(provider).Grant(w.App, who))
}

// SignIn authorises as an identity that is linked and returns the sign-in. It fails the test unless the callback signs
// in.
func (b *Browser) SignIn(provider access.ProviderName, who signin.ProviderIdentity) signin.LoginResult {
	b.P.T.Helper()
	back, err := b.Authorise(provider, who)
	portaltest.NoError(b.P.T, err)
	if back.Login == nil || back.ConfirmToken != "" || back.Ticket != "" || back.Application != 0 ||
		back.RedirectURL != "" {
		b.P.T.Fatalf("not signed in: %+v", back)
	}
	return *back.Login
}

// UnknownTicket authorises as an identity that is not linked and returns its ticket. It fails the test if the callback
// does anything else.
func (b *Browser) UnknownTicket(provider access.ProviderName, who signin.ProviderIdentity) string {
	b.P.T.Helper()
	back, err := b.Authorise(provider, who)
	portaltest.NoError(b.P.T, err)
	if back.Ticket == "" || back.Login != nil || back.ConfirmToken != "" || back.Application != 0 ||
		back.RedirectURL != "" {
		b.P.T.Fatalf("not unknown: %+v", back)
	}
	return back.Ticket
}

// Outcome authorises as an identity and returns what follows: "signed in", "unknown", "something else" or the text of
// the error.
func (b *Browser) Outcome(provider access.ProviderName, who signin.ProviderIdentity) string {
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

// AskConfirmation authorises as an identity that is linked, but makes the callback without cookies. It fails the test
// unless the person is asked for confirmation.
func (b *Browser) AskConfirmation(provider access.ProviderName, who signin.ProviderIdentity) signin.Callback {
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

// ConfirmSignIn confirms a sign-in that AskConfirmation left open and returns the operation's result.
func (b *Browser) ConfirmSignIn(ask string) (signin.LoginResult, error) {
	b.P.T.Helper()
	return b.P.Chatlogin.ConfirmSignIn(b.Context(), ask, b.Flow, b.Browser())
}
