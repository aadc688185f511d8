package portal_test

import (
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// closings are the ways in which the company of an account, or the account itself, is closed after a sign-in.
func (p *carer) closings(login string) map[portal.Refusal]func() {
	company := p.account(login).CompanyID
	past := store.At(p.clock.now().Add(-time.Hour))
	return map[portal.Refusal]func(){
		portal.CompanyDisabled: func() { p.updateCompany(company, func(c *store.Company) { c.Disabled = true }) },
		portal.CompanyExpired: func() {
			p.updateCompany(company, func(c *store.Company) { c.Standing, c.EndsAt = store.Formal, past })
		},
		portal.TrialEnded: func() {
			p.updateCompany(company, func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, past })
		},
		portal.AccountDisabled: func() { p.setAccountState(login, store.AccountDisabled) },
	}
}

func TestASessionOfAnAccountThatIsClosedChangesNothing(t *testing.T) {
	for _, reason := range []portal.Refusal{
		portal.CompanyDisabled, portal.CompanyExpired, portal.TrialEnded, portal.AccountDisabled,
	} {
		t.Run(string(reason), func(t *testing.T) {
			eachCare(t, func(t *testing.T, p *carer) {
				signed, in, _ := p.proven("northwind", buyerPhone) // a binding is under way
				bound := p.signIn(accountHost, "li.lights")        // of the same company, with a phone
				ticket, err := p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{
					Login: "northwind", Password: portal.DemoPassword, Client: portal.ClientApp,
				})
				noError(t, err)
				choosing, err := p.Token(t.Context(), portal.TokenInput{
					Token: ticket.Ticket, Client: portal.ClientApp, Ticket: true,
				})
				noError(t, err)
				unbinding := p.unbinding(bound.Session, "li.lights")
				unbinding.Code = p.sent(p.askToUnbind(unbinding))
				p.closings("northwind")[reason]()
				if reason == portal.AccountDisabled {
					p.setAccountState("li.lights", store.AccountDisabled)
				}
				before, codes := p.account("northwind").Account, len(p.sms.codes())
				in.Password = portal.DemoPassword
				for what, try := range map[string]func() error{
					"the page to bind": func() error {
						_, _, err := p.Bindable(t.Context(), signed.Session)
						return err
					},
					"a code to bind": func() error {
						fresh := p.binding(signed, newPhone)
						_, err := p.ask(p.askToBind(fresh))
						return err
					},
					"the code":    func() error { _, err := p.ProveBind(p.from(homeAddress), in); return err },
					"the binding": func() error { _, err := p.bind(in); return err },
					"a password": func() error {
						_, err := p.change(
							p.changing(signed.Session, portal.DemoPassword),
						)
						return err
					},
					"a password by ticket": func() error {
						_, err := p.change(
							p.changing(choosing, portal.DemoPassword),
						)
						return err
					},
					"a code to unbind": func() error { _, err := p.ask(p.askToUnbind(unbinding)); return err },
					"an unbinding":     func() error { return p.unbind(unbinding) },
					"the reminder": func() error {
						return p.StopBindReminder(
							t.Context(), signed.Session, before.ID, 0,
						)
					},
				} {
					with := refused(t, try(), reason)
					if with.Company == nil || len(with.Contacts) == 0 {
						t.Errorf("%s: it does not say whom to call", what)
					}
				}
				if after := p.account("northwind").Account; after != before || p.account("li.lights").PhoneID == 0 ||
					len(p.sms.codes()) != codes {
					t.Errorf("something was changed: %+v", after)
				}
				_, err = p.SignOut(t.Context(), signed.Token, p.place(accountHost))
				noError(t, err)
				refused(t, p.signedIn(signed.Token, accountHost), portal.LoginRequired)
			})
		})
	}
}

func TestAnApplicationToACompanyThatWasJustDisabledIsRefused(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, newPhone)
		_, err := p.ApplicationSetting(t.Context(), 1001) // the company is cached for a second from here
		noError(t, err)
		p.updateCompany(1001, func(c *store.Company) { c.Disabled = true })
		_, err = p.apply(in)
		if with := refused(t, err, portal.CompanyDisabled); with.Company == nil || len(with.Contacts) == 0 {
			t.Error("it does not say whom to call")
		}
		if n := p.events(1001, "application_sent"); n != 0 {
			t.Errorf("%d applications", n)
		}
	})
}
