package portaltest

import (
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

// Applicant sends an application with a phone.
func (p *Carer) Applicant(company int64, phone string) store.Application {
	p.T.Helper()
	a, err := p.Apply(p.Applies(company, phone))
	NoError(p.T, err)
	return a
}

// SignsInByCode asks for a code at a host and signs in with it.
func (p *Carer) SignsInByCode(host, phone string) (signin.CodeLoginInput, error) {
	p.T.Helper()
	p.Clock.Advance(20 * time.Minute) // a phone gets five messages an hour
	ask := p.Asking(verification.ForLogin, phone, verification.NewFlow())
	ask.Place = p.Place(host)
	ask.CompanyID = ask.Place.CompanyID()
	in := signin.CodeLoginInput{Phone: phone, Code: p.Sent(ask), Flow: ask.Flow, Browser: access.Browser{
		Place: ask.Place,
	}}
	_, err := p.CodeLogin(in)
	return in, err
}

// Reject rejects an application in the demo's company 1001.
func (p *Carer) Reject(a store.Application, reason string) {
	p.T.Helper()
	_, _, err := p.Application.Review(p.T.Context(), p.Landed("jinsui", PhoneScreen), application.ReviewInput{
		ID: a.ID, Reason: reason,
	})
	NoError(p.T, err)
}

// Approve approves an application to company 1001.
func (p *Carer) Approve(a store.Application) {
	p.T.Helper()
	_, _, err := p.Application.Review(p.T.Context(), p.Landed("jinsui", PhoneScreen), application.ReviewInput{
		ID: a.ID, Approve: true,
	})
	NoError(p.T, err)
}
