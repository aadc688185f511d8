package chattest

import (
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/landing"
	"portico/portal/portaltest"
	"portico/portal/signin"
)

// UnknownCallbackAtPlatform returns an identity, with its ticket, that a program got for the platform itself.
func (c *Program) UnknownCallbackAtPlatform(who chatapps.ProviderIdentity) chatlogin.ClientCallback {
	c.P.T.Helper()
	w := c.BeginAtPlatform()
	in := chatlogin.ClientCallbackInput{
		Code: c.P.Wechat.Grant(w.App, who), State: w.State, Provider: access.WeChat, Client: c.Kind,
	}
	back, err := c.P.Chatlogin.FinishForClient(c.Context(), in, false)
	portaltest.NoError(c.P.T, err)
	return back
}

func (c *Program) BeginAtPlatform() Authorisation {
	c.P.T.Helper()
	params, err := c.P.Chatlogin.AppParams(c.Context(), chatlogin.AppParamsInput{
		URL: "http://" + portaltest.AccountHost + "/login", Provider: access.WeChat, Client: c.Kind,
	})
	portaltest.NoError(c.P.T, err)
	return ParseAuthorisation(c.P.T, access.WeChat, params.AuthorizeURL)
}

// Program is one of a kind that calls the API.
type Program struct {
	*Browser
	Kind access.Client
}

func (p *ChatPlatform) Program(kind access.Client) *Program {
	return &Program{p.Browser("api.portico.test", "PorticoClient/3.1 (Android 14)"), kind}
}

const PageOf1001 = "http://" + Host1001 + "/login"

// BeginOnPage is what a page of 1001 needs to authorise there.
func (c *Program) BeginOnPage(provider access.ProviderName) Authorisation {
	c.P.T.Helper()
	params, err := c.P.Chatlogin.AppParams(
		c.Context(), chatlogin.AppParamsInput{CompanyID: 1001, URL: PageOf1001, Provider: provider, Client: c.Kind},
	)
	portaltest.NoError(c.P.T, err)
	return ParseAuthorisation(c.P.T, provider, params.AuthorizeURL)
}

func (c *Program) FinishInput(w Authorisation, code string) chatlogin.ClientCallbackInput {
	return chatlogin.ClientCallbackInput{
		Code: code, State: w.State, CompanyID: 1001, Provider: w.Provider, Client: c.Kind,
	}
}

// UnknownCallback is an identity that a program got, without a sign-in.
func (c *Program) UnknownCallback(
	provider access.ProviderName, who chatapps.ProviderIdentity,
) chatlogin.ClientCallback {
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

// LoginByTicket signs in with a ticket of an identity.
func (c *Program) LoginByTicket(ticket string, accountID int64) (signin.ClientLogin, error) {
	return c.P.Chatlogin.LoginByTicket(
		c.Context(), chatlogin.TicketLoginInput{Ticket: ticket, AccountID: accountID, Client: c.Kind},
	)
}

// ChoiceSession is the session of the ticket that a sign-in gives for choosing an account.
func (c *Program) ChoiceSession(in signin.ClientLogin) access.Session {
	c.P.T.Helper()
	s, err := c.P.Landing.Token(c.Context(), landing.TokenInput{Token: in.Ticket, Client: c.Kind, Ticket: true})
	portaltest.NoError(c.P.T, err)
	return s
}
