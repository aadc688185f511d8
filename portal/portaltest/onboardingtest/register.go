package onboardingtest

import (
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
)

// PersonName is the name of people who register.
const PersonName = "Marta Solano"

// CompanyName is the name of companies that are registered.
const CompanyName = "Ballena Azul"

// Seafood is the id of an industry with samples.
const Seafood = int64(121)

// Groceries is the id of another industry with samples.
const Groceries = int64(118)

// AgreementVersion is the version of the service agreement that people accept.
const AgreementVersion = "2026-09-01"

// RegisterInput returns the input that registers a company with a code in a new browser.
func RegisterInput(p *portaltest.SMSPlatform, phone, code, flow string) onboarding.RegisterInput {
	p.T.Helper()
	return onboarding.RegisterInput{
		Phone:       phone,
		Code:        code,
		Password:    portaltest.NewPassword,
		Name:        PersonName,
		CompanyName: CompanyName,
		Agree:       true,
		Flow:        flow,
		Version:     AgreementVersion,
		Lang:        "es",
		Browser:     access.Browser{Place: p.Place(portaltest.AccountHost)},
	}
}

// Register registers a company and returns the operation's result.
func Register(p *portaltest.SMSPlatform, in onboarding.RegisterInput) (onboarding.Registered, error) {
	return p.Onboarding.Register(p.From(portaltest.HomeAddress), in)
}

// RegisterPhone registers a company with a new code for a phone. It returns the result and the input. It fails the test
// if that is refused.
func RegisterPhone(p *portaltest.SMSPlatform, phone string) (onboarding.Registered, onboarding.RegisterInput) {
	p.T.Helper()
	in := RegisterInput(p, phone, "", core.NewFlow())
	in.Code = p.ReceiveCode(p.CodeRequest(core.ForRegister, phone, in.Flow))
	result, err := Register(p, in)
	portaltest.NoError(p.T, err)
	return result, in
}

// AddCompanyInput returns the input that registers another company for the person of a session.
func AddCompanyInput(p *portaltest.SMSPlatform, s access.Session, company string) onboarding.RegisterInput {
	p.T.Helper()
	in := RegisterInput(p, "", "", "")
	in.Session = s
	in.CompanyName = company
	in.Password = ""
	return in
}
