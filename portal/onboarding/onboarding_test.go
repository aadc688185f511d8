package onboarding_test

import (
	"errors"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store/storetest"
)

// TablesOfAttempts are the tables that every attempt changes, also a refused one. Comparisons of rows leave them out.
var TablesOfAttempts = []string{"codes", "attempts"}

// IsCodeRefused says whether err is the refusal of a wrong or an expired code.
func IsCodeRefused(err error) bool {
	return errors.Is(err, access.CodeWrong) || errors.Is(err, access.CodeExpired)
}

func TestRegisteringAndTryingStoreAndLogNoSecrets(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		registered, in := onboardingtest.RegisterPhone(p, "13900000091")
		in.Code = portaltest.WrongCode(in.Code)
		_, err := onboardingtest.Register(p, in)
		if !IsCodeRefused(err) {
			t.Errorf("%v", err)
		}
		tried, trial := onboardingtest.OpenSandboxFor(p, "13900000092", onboardingtest.Seafood)
		program := onboardingtest.SandboxInput(p, "13900000093", "", "api:APP", onboardingtest.Seafood)
		program.Client = signin.ClientApp
		program.Code = p.ReceiveCode(p.CodeRequest(core.ForExperience, program.Phone, program.Flow))
		ticket, err := onboardingtest.OpenSandbox(p, program)
		portaltest.NoError(t, err)
		user, err := p.Onboarding.ExperienceUser(
			p.From(portaltest.HomeAddress),
			onboarding.RoleInput{
				Role:    "mgr",
				Session: sessiontest.StoredSession(p.Platform, tried.LoginResult, portaltest.AccountHost),
			},
			signin.ClientApp,
		)
		portaltest.NoError(t, err)
		m := companytest.AddOffer(p.Platform, 1002, "invited", portaltest.BuyerPhone)
		invitation, err := p.Credentials.Invite(t.Context(), 1002, m.ID)
		portaltest.NoError(t, err)
		complete := onboardingtest.ProvenCompleteInput(p, 1002, portaltest.BuyerPhone)
		complete.Invite, complete.Password, complete.Confirm = invitation, "Wrong2026", ""
		_, err = onboardingtest.Complete(p, complete)
		portaltest.Refused(t, err, access.WrongPassword)
		complete.Password = onboarding.DemoPassword
		completed, err := onboardingtest.Complete(p, complete)
		portaltest.NoError(t, err)
		order, err := companytest.PlaceOrder(
			p.Platform, p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p.Platform, 1001).ID, "1",
			"a.form.of.ones.own",
		)
		portaltest.NoError(t, err)

		dump, err := storetest.Dump(t.Context(), p.DB)
		portaltest.NoError(t, err)
		for what, secret := range map[string]string{
			"flow": in.Flow, "flow of the trial": trial.Flow, "token": registered.Token,
			"token of the trial": tried.Token, "ticket": ticket.Ticket, "program's token": string(user.Token),
			"invitation": invitation, "token of the set-up": completed.Token, "form": "a.form.of.ones.own",
			"name of the person": onboardingtest.PersonName, "name of the company": onboardingtest.CompanyName,
		} {
			if strings.Contains(p.Log.String(), secret) {
				t.Errorf("the %s is in the log", what)
			}
			if !strings.HasPrefix(what, "name") && strings.Contains(dump, secret) {
				t.Errorf("the %s is in the database", what)
			}
		}
		if order.Form == "" || p.Log.Count(`"event":"company_registered"`) != 1 ||
			p.Log.Count(`"event":"sandbox_opened"`) != 2 || p.Log.Count(`"event":"account_set_up"`) != 1 {
			t.Error("the log does not tell what happened")
		}
	})
}
