package signin_test

import (
	"testing"

	"portico/portal/access"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
)

func TestASessionOfABlockedAccountChangesNothing(t *testing.T) {
	for _, reason := range []access.Refusal{
		access.CompanyDisabled, access.CompanyExpired, access.TrialEnded, access.AccountDisabled,
	} {
		t.Run(string(reason), func(t *testing.T) {
			portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
				signed, in, _ := p.Proven("northwind", portaltest.BuyerPhone) // a binding is under way
				bound := p.SignIn(portaltest.AccountHost, "li.lights")        // of the same company, with a phone
				ticket, err := p.Signin.ClientLogin(p.From(portaltest.HomeAddress), signin.ClientLoginInput{
					Login: "northwind", Password: onboarding.DemoPassword, Client: landing.ClientApp,
				})
				portaltest.NoError(t, err)
				choosing, err := p.Landing.Token(t.Context(), landing.TokenInput{
					Token: ticket.Ticket, Client: landing.ClientApp, Ticket: true,
				})
				portaltest.NoError(t, err)
				unbinding := p.Unbinding(bound.Session, "li.lights")
				unbinding.Code = p.Sent(p.AskToUnbind(unbinding))
				p.Closings("northwind")[reason]()
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
						fresh := p.BindingOf(signed, portaltest.NewPhone)
						_, err := p.Ask(p.AskToBind(fresh))
						return err
					},
					"the code": func() error {
						_,
							err := p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
						return err
					},
					"the binding": func() error { _, err := p.Bind(in); return err },
					"a password": func() error {
						_, err := p.Change(
							p.Changing(signed.Session, onboarding.DemoPassword),
						)
						return err
					},
					"a password by ticket": func() error {
						_, err := p.Change(
							p.Changing(choosing, onboarding.DemoPassword),
						)
						return err
					},
					"a code to unbind": func() error { _, err := p.Ask(p.AskToUnbind(unbinding)); return err },
					"an unbinding":     func() error { return p.Unbind(unbinding) },
					"the reminder": func() error {
						return p.Binding.StopBindReminder(
							t.Context(), signed.Session, before.ID, 0,
						)
					},
				} {
					with := portaltest.Refused(t, try(), reason)
					if with.Company == nil || len(with.Contacts) == 0 {
						t.Errorf("%s: it does not say whom to call", what)
					}
				}
				if after := p.Account("northwind").Account; after != before || p.Account("li.lights").PhoneID == 0 ||
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
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		in := p.Applies(1001, portaltest.NewPhone)
		_, err := p.Application.ApplicationSetting(t.Context(), 1001) // the company is cached for a second from here
		portaltest.NoError(t, err)
		p.UpdateCompany(1001, func(c *store.Company) { c.Disabled = true })
		_, err = p.Apply(in)
		if with := portaltest.Refused(t, err, access.CompanyDisabled); with.Company == nil || len(with.Contacts) == 0 {
			t.Error("it does not say whom to call")
		}
		if n := p.Events(1001, "application_sent"); n != 0 {
			t.Errorf("%d applications", n)
		}
	})
}
