package onboarding_test

import (
	"errors"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/verification"
)

// TablesOfAttempts are the tables that every attempt changes, also a refused one. Comparisons of rows leave them out.
var TablesOfAttempts = []string{"codes", "attempts"}

// IsCodeRefused says whether err is the refusal of a wrong or an expired code.
func IsCodeRefused(err error) bool {
	return errors.Is(err, access.CodeWrong) || errors.Is(err, access.CodeExpired)
}

func TestRegisteringAndTryingStoreAndLogNoSecrets(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		registered, in := p.Registered("13900000091")
		in.Code = portaltest.OtherThan(in.Code)
		_, err := p.Register(in)
		if !IsCodeRefused(err) {
			t.Errorf("%v", err)
		}
		tried, trial := p.Tried("13900000092", portaltest.Seafood)
		program := p.Trying("13900000093", "", "api:APP", portaltest.Seafood)
		program.Client = landing.ClientApp
		program.Code = p.Sent(p.Asking(verification.ForExperience, program.Phone, program.Flow))
		ticket, err := p.Try(program)
		portaltest.NoError(t, err)
		user, err := p.Onboarding.ExperienceUser(
			p.From(portaltest.HomeAddress),
			onboarding.RoleInput{Role: "mgr", Session: p.Stored(tried.LoginResult, portaltest.AccountHost)},
			landing.ClientApp,
		)
		portaltest.NoError(t, err)
		m := p.Invites(1002, "invited", portaltest.BuyerPhone)
		invitation, err := p.Onboarding.Invite(t.Context(), 1002, m.ID)
		portaltest.NoError(t, err)
		complete := p.ProvenComplete(1002, portaltest.BuyerPhone)
		complete.Invite, complete.Password, complete.Confirm = invitation, "Wrong2026", ""
		_, err = p.Complete(complete)
		portaltest.Refused(t, err, access.WrongPassword)
		complete.Password = onboarding.DemoPassword
		completed, err := p.Complete(complete)
		portaltest.NoError(t, err)
		order, err := p.Order(p.Landed("buyer1", portaltest.PhoneScreen), p.Product(1001).ID, "1", "a.form.of.ones.own")
		portaltest.NoError(t, err)

		dump, err := p.Db.Dump(t.Context())
		portaltest.NoError(t, err)
		for what, secret := range map[string]string{
			"flow": in.Flow, "flow of the trial": trial.Flow, "token": registered.Token,
			"token of the trial": tried.Token, "ticket": ticket.Ticket, "program's token": string(user.Token),
			"invitation": invitation, "token of the set-up": completed.Token, "form": "a.form.of.ones.own",
			"name of the person": portaltest.OwnName, "name of the company": portaltest.OwnCompany,
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
