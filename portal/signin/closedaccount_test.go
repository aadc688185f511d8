package signin_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/signin"
	"portico/store"
)

func TestASessionOfABlockedAccountChangesNothing(t *testing.T) {
	for _, reason := range []access.Refusal{
		access.CompanyDisabled, access.CompanyExpired, access.TrialEnded, access.AccountDisabled,
	} {
		t.Run(string(reason), func(t *testing.T) {
			portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
				// a binding is under way
				signed, in, _ := credentialtest.ProveBind(p, "northwind", portaltest.BuyerPhone)
				// of the same company, with a phone
				bound := p.SignIn(portaltest.AccountHost, "li.lights")
				ticket, err := p.Signin.ClientLogin(p.From(portaltest.HomeAddress), signin.ClientLoginInput{
					Login: "northwind", Password: onboarding.DemoPassword, Client: signin.ClientApp,
				})
				portaltest.NoError(t, err)
				choosing, err := p.Landing.Token(t.Context(), signin.TokenInput{
					Token: ticket.Ticket, Client: signin.ClientApp, Ticket: true,
				})
				portaltest.NoError(t, err)
				unbinding := credentialtest.UnbindInput(p, bound.Session, "li.lights")
				unbinding.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, unbinding))
				closeFunctions(p, "northwind")[reason]()
				if reason == access.AccountDisabled {
					p.SetAccountState("li.lights", store.AccountDisabled)
				}
				before, codes := p.Account("northwind").Account, len(p.Sms.Codes())
				in.Password = onboarding.DemoPassword
				for what, try := range map[string]func() error{
					"the page to bind": func() error {
						_, _, err := p.Binding.Bindable(t.Context(), signed.Session)
						return err
					},
					"a code to bind": func() error {
						fresh := credentialtest.BindInput(p, signed, portaltest.NewPhone)
						_, err := p.AskCode(credentialtest.BindCodeRequest(p, fresh))
						return err
					},
					"the code": func() error {
						_,
							err := p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
						return err
					},
					"the binding": func() error { _, err := credentialtest.Bind(p, in); return err },
					"a password": func() error {
						_, err := credentialtest.ChangePassword(p,
							credentialtest.ChangePasswordInput(p, signed.Session, onboarding.DemoPassword),
						)
						return err
					},
					"a password by ticket": func() error {
						_, err := credentialtest.ChangePassword(p,
							credentialtest.ChangePasswordInput(p, choosing, onboarding.DemoPassword),
						)
						return err
					},
					"a code to unbind": func() error {
						_,
							err := p.AskCode(credentialtest.UnbindCodeRequest(p, unbinding))
						return err
					},
					"an unbinding": func() error { return credentialtest.Unbind(p, unbinding) },
					"the reminder": func() error {
						return p.Binding.StopBindReminder(t.Context(), signed.Session, before.ID, 0)
					},
				} {
					with := portaltest.Refused(t, try(), reason)
					if with.Company == nil || len(with.Contacts) == 0 {
						t.Errorf("%s: it does not say whom to call", what)
					}
				}
				if after := p.Account("northwind").Account; after != before || p.Account("li.lights").PersonID == 0 ||
					len(p.Sms.Codes()) != codes {
					t.Errorf("something was changed: %+v", after)
				}
				_, err = p.SignOut(t.Context(), signed.Token, p.Place(portaltest.AccountHost))
				portaltest.NoError(t, err)
				portaltest.Refused(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost), access.LoginRequired)
			})
		})
	}
}

func TestAnApplicationToACompanyThatWasJustDisabledIsRefused(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		_, err := p.Application.ApplicationSetting(t.Context(), 1001) // the company is cached for a second from here
		portaltest.NoError(t, err)
		p.UpdateCompany(1001, func(c *store.Company) { c.Disabled = true })
		_, err = applicationtest.Send(p, in)
		if with := portaltest.Refused(t, err, access.CompanyDisabled); with.Company == nil || len(with.Contacts) == 0 {
			t.Error("it does not say whom to call")
		}
		if n := p.CountEvents(1001, "application_sent"); n != 0 {
			t.Errorf("%d applications", n)
		}
	})
}

// closeFunctions returns functions that block an account or its company, each by the refusal that follows.
func closeFunctions(p *portaltest.SMSPlatform, login string) map[access.Refusal]func() {
	company := p.Account(login).CompanyID
	past := store.At(p.Clock.Now().Add(-time.Hour))
	return map[access.Refusal]func(){
		access.CompanyDisabled: func() { p.UpdateCompany(company, func(c *store.Company) { c.Disabled = true }) },
		access.CompanyExpired: func() {
			p.UpdateCompany(company, func(c *store.Company) { c.Standing, c.EndsAt = store.Formal, past })
		},
		access.TrialEnded: func() {
			p.UpdateCompany(company, func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, past })
		},
		access.AccountDisabled: func() { p.SetAccountState(login, store.AccountDisabled) },
	}
}
