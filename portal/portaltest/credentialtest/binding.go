// Package credentialtest binds phones, changes passwords and checks which sign-ins still work, for tests.
package credentialtest

import (
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/portaltest"
	"portico/portal/signin"
)

// BindInput returns the input that binds a phone to the account of a sign-in, without a code.
func BindInput(p *portaltest.SMSPlatform, signed signin.LoginResult, phone string) credentials.BindInput {
	p.T.Helper()
	return credentials.BindInput{
		Phone: phone, Session: signed.Session, Flow: "session:" + signed.Session.ID, Lang: "zh",
	}
}

// BindCodeRequest returns the request for the code that a binding needs.
func BindCodeRequest(p *portaltest.SMSPlatform, in credentials.BindInput) core.AskCodeInput {
	p.T.Helper()
	ask := p.CodeRequest(core.ForBind, in.Phone, in.Flow)
	ask.Session = in.Session
	return ask
}

// ProveBind signs in by account name and proves a phone for binding. It returns the sign-in, the input and the result.
// It fails the test if a step is refused.
func ProveBind(
	p *portaltest.SMSPlatform, login, phone string,
) (signin.LoginResult, credentials.BindInput, credentials.Bound) {
	p.T.Helper()
	signed := p.SignIn(portaltest.AccountHost, login)
	in := BindInput(p, signed, phone)
	in.Code = p.ReceiveCode(BindCodeRequest(p, in))
	bound, err := p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
	portaltest.NoError(p.T, err)
	return signed, in, bound
}

// Bind binds a phone and returns the operation's result.
func Bind(p *portaltest.SMSPlatform, in credentials.BindInput) (credentials.Bound, error) {
	return p.Binding.Bind(p.From(portaltest.HomeAddress), in)
}

// UnbindInput returns the input that unbinds the phone of an account, without a code.
func UnbindInput(p *portaltest.SMSPlatform, s access.Session, login string) credentials.UnbindInput {
	p.T.Helper()
	return credentials.UnbindInput{AccountID: p.Account(login).ID, Session: s, Flow: "session:" + s.ID, Lang: "zh"}
}

// UnbindCodeRequest returns the request for the code that unbinding needs.
func UnbindCodeRequest(p *portaltest.SMSPlatform, in credentials.UnbindInput) core.AskCodeInput {
	p.T.Helper()
	ask := p.CodeRequest(core.ForUnbind, portaltest.NewPhone, in.Flow) // what is typed does not matter
	ask.Session, ask.AccountID = in.Session, in.AccountID
	return ask
}

// Unbind unbinds a phone and returns the operation's error.
func Unbind(p *portaltest.SMSPlatform, in credentials.UnbindInput) error {
	return p.Binding.Unbind(p.From(portaltest.HomeAddress), in)
}
