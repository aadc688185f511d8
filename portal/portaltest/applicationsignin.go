package portaltest

import (
	"time"

	"portico/portal/access"
	"portico/portal/signin"
	"portico/portal/verification"
)

// SignInByCode asks for a code at a host and signs in with it.
func (p *SMSPlatform) SignInByCode(host, phone string) (signin.CodeLoginInput, error) {
	p.T.Helper()
	p.Clock.Advance(20 * time.Minute) // a phone gets five messages an hour
	ask := p.CodeRequest(verification.ForLogin, phone, verification.NewFlow())
	ask.Place = p.Place(host)
	ask.CompanyID = ask.Place.CompanyID()
	in := signin.CodeLoginInput{Phone: phone, Code: p.ReceiveCode(ask), Flow: ask.Flow, Browser: access.Browser{
		Place: ask.Place,
	}}
	_, err := p.CodeLogin(in)
	return in, err
}
