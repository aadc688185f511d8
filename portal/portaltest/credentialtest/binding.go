package credentialtest

import (
	"portico/portal/access"
	"portico/portal/binding"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/portal/verification"
)

func BindInput(p *portaltest.SMSPlatform, signed signin.LoginResult, phone string) binding.BindInput {
	p.T.Helper()
	return binding.BindInput{Phone: phone, Session: signed.Session, Flow: "session:" + signed.Session.ID, Lang: "zh"}
}

func BindCodeRequest(p *portaltest.SMSPlatform, in binding.BindInput) verification.AskCodeInput {
	p.T.Helper()
	ask := p.CodeRequest(verification.ForBind, in.Phone, in.Flow)
	ask.Session = in.Session
	return ask
}

// ProveBind is a binding whose code was right.
func ProveBind(p *portaltest.SMSPlatform, login, phone string) (signin.LoginResult, binding.BindInput, binding.Bound) {
	p.T.Helper()
	signed := p.SignIn(portaltest.AccountHost, login)
	in := BindInput(p, signed, phone)
	in.Code = p.ReceiveCode(BindCodeRequest(p, in))
	bound, err := p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
	portaltest.NoError(p.T, err)
	return signed, in, bound
}

func Bind(p *portaltest.SMSPlatform, in binding.BindInput) (binding.Bound, error) {
	return p.Binding.Bind(p.From(portaltest.HomeAddress), in)
}

func UnbindInput(p *portaltest.SMSPlatform, s access.Session, login string) binding.UnbindInput {
	p.T.Helper()
	return binding.UnbindInput{AccountID: p.Account(login).ID, Session: s, Flow: "session:" + s.ID, Lang: "zh"}
}

func UnbindCodeRequest(p *portaltest.SMSPlatform, in binding.UnbindInput) verification.AskCodeInput {
	p.T.Helper()
	ask := p.CodeRequest(verification.ForUnbind, portaltest.NewPhone, in.Flow) // what is typed does not matter
	ask.Session, ask.AccountID = in.Session, in.AccountID
	return ask
}

func Unbind(p *portaltest.SMSPlatform, in binding.UnbindInput) error {
	return p.Binding.Unbind(p.From(portaltest.HomeAddress), in)
}
