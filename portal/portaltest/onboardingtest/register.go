package onboardingtest

import (
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/verification"
)

const PersonName = "Marta Solano"

const CompanyName = "Ballena Azul"

const Seafood = int64(121)

const Groceries = int64(118)

const AgreementVersion = "2026-09-01"

// RegisterInput returns the input that registers a company in a new browser.
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

// Register registers a company.
func Register(p *portaltest.SMSPlatform, in onboarding.RegisterInput) (onboarding.Registered, error) {
	return p.Onboarding.Register(p.From(portaltest.HomeAddress), in)
}

// RegisterPhone registers a company with a phone. It returns the result and the input.
func RegisterPhone(p *portaltest.SMSPlatform, phone string) (onboarding.Registered, onboarding.RegisterInput) {
	p.T.Helper()
	in := RegisterInput(p, phone, "", verification.NewFlow())
	in.Code = p.ReceiveCode(p.CodeRequest(verification.ForRegister, phone, in.Flow))
	result, err := Register(p, in)
	portaltest.NoError(p.T, err)
	return result, in
}

// AddCompanyInput returns the input that registers another company for the person of a session.
func AddCompanyInput(p *portaltest.SMSPlatform, s access.Session, company string) onboarding.RegisterInput {
	p.T.Helper()
	in := RegisterInput(p, "", "", "")
	in.Session, in.CompanyName, in.Password = s, company, ""
	return in
}
