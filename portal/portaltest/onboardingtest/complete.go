// Package onboardingtest registers companies, opens sandboxes and sets offered accounts up, for tests.
package onboardingtest

import (
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
)

// CompleteInput returns the input that sets up an offered account with a code.
func CompleteInput(p *portaltest.SMSPlatform, company int64, phone, code, flow string) onboarding.CompleteInput {
	p.T.Helper()
	return onboarding.CompleteInput{
		Phone:     phone,
		Code:      code,
		Name:      PersonName,
		Password:  portaltest.NewPassword,
		Confirm:   portaltest.NewPassword,
		CompanyID: company,
		Flow:      flow,
		Browser:   access.Browser{Place: p.Place(portaltest.AccountHost)},
	}
}

// CompleteCodeRequest returns the request for the code that sets up an offered account.
func CompleteCodeRequest(p *portaltest.SMSPlatform, company int64, phone, flow string) core.AskCodeInput {
	p.T.Helper()
	ask := p.CodeRequest(core.ForShopRegister, phone, flow)
	ask.CompanyID = company
	return ask
}

// ProvenCompleteInput returns the input that sets up an offered account, with a code that was sent. It fails the test
// if no code was sent.
func ProvenCompleteInput(p *portaltest.SMSPlatform, company int64, phone string) onboarding.CompleteInput {
	p.T.Helper()
	in := CompleteInput(p, company, phone, "", core.NewFlow())
	in.Code = p.ReceiveCode(CompleteCodeRequest(p, company, phone, in.Flow))
	return in
}

// Complete sets up an offered account and returns the operation's result.
func Complete(p *portaltest.SMSPlatform, in onboarding.CompleteInput) (onboarding.Completed, error) {
	return p.Onboarding.Complete(p.From(portaltest.HomeAddress), in)
}
