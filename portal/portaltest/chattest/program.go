package chattest

import (
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/signin"
)

// UnknownCallbackAtPlatform authorises as an identity that is not linked, for the platform itself, and returns the
// result with its ticket. It fails the test if that is refused.
func (c *Program) UnknownCallbackAtPlatform(who signin.ProviderIdentity) signin.ClientCallback {
	c.P.T.Helper()
	w := c.BeginAtPlatform()
	in := signin.ClientCallbackInput{
		Code: c.P.Wechat.Grant(w.App, who), State: w.State, Provider: access.WeChat, Client: c.Kind,
	}
	back, err := c.P.Chatlogin.FinishForClient(c.Context(), in, false)
	portaltest.NoError(c.P.T, err)
	return back
}

// BeginAtPlatform begins an authorisation for the platform itself. It fails the test if that is refused.
func (c *Program) BeginAtPlatform() Authorisation {
	c.P.T.Helper()
	params, err := c.P.Chatlogin.AppParams(c.Context(), signin.AppParamsInput{
		URL: "http://" + portaltest.AccountHost + "/login", Provider: access.WeChat, Client: c.Kind,
	})
	portaltest.NoError(c.P.T, err)
	return ParseAuthorisation(c.P.T, access.WeChat, params.AuthorizeURL)
}

// Program is a program of a kind that calls the API.
type Program struct {
	*Browser
	Kind access.Client
}

// Program returns a new program of a kind.
func (p *ChatPlatform) Program(kind access.Client) *Program {
	return &Program{p.Browser("api.portico.test", "PorticoClient/3.1 (Android 14)"), kind}
}

// PageOf1001 is the address of company 1001's sign-in page.
const PageOf1001 = "http://" + Host1001 + "/login"

// BeginOnPage begins an authorisation on a page of company 1001. It fails the test if that is refused.
func (c *Program) BeginOnPage(provider access.ProviderName) Authorisation {
	c.P.T.Helper()
	params, err := c.P.Chatlogin.AppParams(
		c.Context(), signin.AppParamsInput{CompanyID: 1001, URL: PageOf1001, Provider: provider, Client: c.Kind},
	)
	portaltest.NoError(c.P.T, err)
	return ParseAuthorisation(c.P.T, provider, params.AuthorizeURL)
}

// FinishInput returns the input of a callback for company 1001.
func (c *Program) FinishInput(w Authorisation, code string) signin.ClientCallbackInput {
	return signin.ClientCallbackInput{
		Code: code, State: w.State, CompanyID: 1001, Provider: w.Provider, Client: c.Kind,
	}
}

// UnknownCallback authorises as an identity that is not linked, for company 1001, and returns the result with its
// ticket. It fails the test if the callback does anything else.
func (c *Program) UnknownCallback(
	provider access.ProviderName, who signin.ProviderIdentity,
) signin.ClientCallback {
	c.P.T.Helper()
	w := c.BeginOnPage(provider)
	back, err := c.P.Chatlogin.FinishForClient(
		c.Context(), c.FinishInput(w, c.P.Provider(provider).Grant(w.App, who)), false,
	)
	portaltest.NoError(c.P.T, err)
	if back.User != nil || back.Ticket == "" || back.Identity != who {
		c.P.T.Fatalf("%+v", back)
	}
	return back
}

// LoginByTicket signs in with the ticket of an identity and returns the operation's result.
func (c *Program) LoginByTicket(ticket string, accountID int64) (signin.ClientLogin, error) {
	return c.P.Chatlogin.LoginByTicket(
		c.Context(), signin.TicketLoginInput{Ticket: ticket, AccountID: accountID, Client: c.Kind},
	)
}

// ChoiceSession returns the session of the ticket with which a sign-in lets the person choose an account. It fails the
// test if the ticket is refused.
func (c *Program) ChoiceSession(in signin.ClientLogin) access.Session {
	c.P.T.Helper()
	s, err := c.P.Landing.Token(c.Context(), signin.TokenInput{Token: in.Ticket, Client: c.Kind, Ticket: true})
	portaltest.NoError(c.P.T, err)
	return s
}
