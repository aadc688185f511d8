package onboardingtest

import (
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/store"
)

// ChooseRole chooses a side of a sandbox and returns its account, or the refusal.
func ChooseRole(p *portaltest.SMSPlatform, in onboarding.RoleInput) (store.Member, error) {
	return p.Onboarding.ChooseRole(p.From(portaltest.HomeAddress), in)
}

// RemoveSandboxes removes the sandboxes that have ended. It fails the test unless want sandboxes were removed.
func RemoveSandboxes(p *portaltest.SMSPlatform, want int) {
	p.T.Helper()
	n, err := p.Onboarding.RemoveSandboxes(p.T.Context())
	if err != nil || n != want {
		p.T.Errorf("removed %d, want %d: %v", n, want, err)
	}
}

// SandboxInput returns the input that opens a sandbox with a code in a new browser.
func SandboxInput(p *portaltest.SMSPlatform, phone, code, flow string, industry int64) onboarding.ExperienceInput {
	p.T.Helper()
	return onboarding.ExperienceInput{
		Phone:    phone,
		Code:     code,
		Industry: industry,
		Agree:    true,
		Names:    onboarding.SandboxNames{Company: "试用公司", Person: "我", Customer: "试用客户"},
		Flow:     flow,
		Version:  AgreementVersion,
		Lang:     "zh",
		Browser:  access.Browser{Place: p.Place(portaltest.AccountHost)},
	}
}

// OpenSandbox opens a sandbox and returns the operation's result.
func OpenSandbox(p *portaltest.SMSPlatform, in onboarding.ExperienceInput) (onboarding.Experience, error) {
	return p.Onboarding.OpenExperience(p.From(portaltest.HomeAddress), in)
}

// OpenSandboxFor opens a sandbox with a new code for a phone. It returns the result and the input. It fails the test if
// that is refused.
func OpenSandboxFor(
	p *portaltest.SMSPlatform, phone string, industry int64,
) (onboarding.Experience, onboarding.ExperienceInput) {
	p.T.Helper()
	in := SandboxInput(p, phone, "", core.NewFlow(), industry)
	in.Code = p.ReceiveCode(p.CodeRequest(core.ForExperience, phone, in.Flow))
	result, err := OpenSandbox(p, in)
	portaltest.NoError(p.T, err)
	return result, in
}

// RoleAccount chooses a side of the sandbox of a session and returns its account. It fails the test if that is refused.
func RoleAccount(p *portaltest.SMSPlatform, s access.Session, role string, samples bool) store.Member {
	p.T.Helper()
	m, err := p.Onboarding.ChooseRole(p.From(portaltest.HomeAddress), onboarding.RoleInput{
		Role: role, Import: samples, Session: s,
	})
	portaltest.NoError(p.T, err)
	return m
}
