package portal_test

import (
	"errors"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// applied demands that a sign-in was refused with the state of an application.
func applied(t *testing.T, err error, a store.Application, state store.ApplicationState) *portal.Applied {
	t.Helper()
	with := refused(t, err, portal.UnderReview)
	if with.Applied == nil {
		t.Fatalf("it names no application: %+v", with)
	}
	if with.Applied.ID != a.ID || with.Applied.State != state || with.Company == nil || with.Company.ID != a.CompanyID {
		t.Fatalf("%+v of company %v, want application %d, %s", with.Applied, with.Company, a.ID, state)
	}
	return with.Applied
}

// applicant sends in an application by a phone.
func (p *carer) applicant(company int64, phone string) store.Application {
	p.t.Helper()
	a, err := p.apply(p.applies(company, phone))
	noError(p.t, err)
	return a
}

// signsInByCode asks for a code at a host and signs in with it.
func (p *carer) signsInByCode(host, phone string) (portal.CodeLoginInput, error) {
	p.t.Helper()
	p.clock.advance(20 * time.Minute) // a phone gets five messages an hour
	ask := p.asking(portal.ForLogin, phone, portal.NewFlow())
	ask.Place = p.place(host)
	ask.CompanyID = ask.Place.CompanyID()
	in := portal.CodeLoginInput{Phone: phone, Code: p.sent(ask), Flow: ask.Flow, Browser: portal.Browser{Place: ask.Place}}
	_, err := p.codeLogin(in)
	return in, err
}

// reject rejects an application in the demo's company 1001.
func (p *carer) reject(a store.Application, reason string) {
	p.t.Helper()
	_, _, err := p.Review(p.t.Context(), p.landed("jinsui", phoneScreen), portal.ReviewInput{ID: a.ID, Reason: reason})
	noError(p.t, err)
}

func (p *carer) approve(a store.Application) {
	p.t.Helper()
	_, _, err := p.Review(p.t.Context(), p.landed("jinsui", phoneScreen), portal.ReviewInput{ID: a.ID, Approve: true})
	noError(p.t, err)
}

func TestAnApplicantWithoutAnAccountHearsByCodeWhereTheApplicationStands(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		a := p.applicant(1001, newPhone)
		in, err := p.signsInByCode(host1001, newPhone)
		told := applied(t, err, a, store.ApplicationPending)
		if who, err := p.Applicant(told.Ticket, 1001); err != nil || who.Phone() != newPhone {
			t.Errorf("the ticket proves %q, %v", who.Phone(), err)
		}
		_, err = p.codeLogin(in) // the response was lost
		applied(t, err, a, store.ApplicationPending)
		other := in
		other.Code = otherThan(in.Code)
		_, err = p.codeLogin(other)
		refused(t, err, portal.CodeExpired)
		other = in
		other.Flow = portal.NewFlow()
		_, err = p.codeLogin(other)
		refused(t, err, portal.CodeExpired)
		p.clock.advance(portal.RepeatWindow)
		_, err = p.codeLogin(in)
		refused(t, err, portal.CodeExpired)

		_, err = p.signsInByCode(accountHost, newPhone)
		if told = applied(t, err, a, store.ApplicationPending); told.Ticket != "" {
			t.Error("the account site gives a ticket of the company")
		}
		p.reject(a, "材料不全")
		_, err = p.signsInByCode(host1001, newPhone)
		if told = applied(t, err, a, store.ApplicationRejected); told.RejectReason != "材料不全" || told.Closed {
			t.Errorf("%+v", told)
		}
		again := p.applicant(1001, newPhone)
		p.approve(again)
		_, err = p.signsInByCode(host1001, newPhone)
		told = applied(t, err, again, store.ApplicationApproved)
		done, err := p.Complete(p.from(homeAddress), portal.CompleteInput{ // the code that was just right is enough
			Phone: newPhone, CompanyID: 1001, Ticket: told.Ticket, Name: "Irene", Password: newPassword,
			Confirm: newPassword, Browser: portal.Browser{Place: p.place(host1001)},
		})
		noError(t, err)
		if done.Member.CompanyID != 1001 {
			t.Errorf("%+v", done)
		}
		_, err = p.signsInByCode(host1001, newPhone)
		noError(t, err)
	})
}

func TestAnApplicantWithAPasswordHearsWhereTheApplicationStandsOnceItIsRight(t *testing.T) {
	for _, strict := range []bool{false, true} {
		eachCare(t, func(t *testing.T, p *carer) {
			a, elsewhere := p.applicant(1001, unboundPhone), p.applicant(1001, "13800000012")
			for name, c := range map[string]struct {
				host, phone string
				application store.Application
			}{
				"without an account, at the company":          {host1001, unboundPhone, a},
				"without an account, at the account site":     {accountHost, unboundPhone, a},
				"with an account elsewhere, at the company":   {host1001, "13800000012", elsewhere},
				"with an account elsewhere, by the next code": {host1001, "13800000012", elsewhere},
			} {
				in := portal.LoginInput{Phone: c.phone, Password: "Wrong2026", Browser: portal.Browser{Place: p.place(c.host)}}
				_, err := p.login(in)
				if with := refused(t, err, portal.WrongPassword); with.Applied != nil || with.Company != nil {
					t.Errorf("%s: a wrong password learns of it: %+v", name, with)
				}
				in.Password = portal.DemoPassword
				_, err = p.login(in)
				if told := applied(t, err, c.application, store.ApplicationPending); told.Ticket != "" {
					t.Errorf("%s: a password proves the phone to the company", name)
				}
			}
			_, err := p.login(portal.LoginInput{
				Phone: unboundPhone, Password: portal.DemoPassword, Browser: portal.Browser{Place: p.place(host1002)},
			})
			if with := refused(t, err, portal.PhoneNotBound); with.Applied != nil {
				t.Errorf("another company shows it: %+v", with)
			}
			mixed := portal.MixedLoginInput{
				Login: unboundPhone, Password: portal.DemoPassword, CompanyID: 1001, Client: portal.ClientApp,
			}
			_, err = p.MixedLogin(p.from(homeAddress), mixed)
			applied(t, err, a, store.ApplicationPending)
			mixed.Password = "Wrong2026"
			_, err = p.MixedLogin(p.from(homeAddress), mixed)
			if with := refused(t, err, portal.WrongPassword); with.Applied != nil {
				t.Errorf("a wrong password learns of it: %+v", with)
			}
		}, func(o *portal.Options) { o.Strict = strict })
	}
}

func TestWithoutACompanyTheNewestPendingApplicationIsReturned(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.updateCompany(1002, func(c *store.Company) { c.ApplicationsReviewed = true })
		first := p.applicant(1001, newPhone)
		p.clock.advance(time.Second)
		second := p.applicant(1002, newPhone)
		_, err := p.signsInByCode(accountHost, newPhone)
		applied(t, err, second, store.ApplicationPending)
		_, err = p.signsInByCode(host1001, newPhone)
		applied(t, err, first, store.ApplicationPending)
		p.reject(first, "材料不全")
		_, err = p.signsInByCode(accountHost, newPhone)
		applied(t, err, second, store.ApplicationPending)
		p.updateCompany(1002, func(c *store.Company) { c.Disabled = true })
		_, err = p.signsInByCode(accountHost, newPhone)
		if with := refused(t, err, portal.CompanyDisabled); with.Applied != nil {
			t.Errorf("%+v", with)
		}
	})
}

func TestAnAccountNameProvesNoPhone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.applicant(1001, "13800000012")
		_, err := p.login(portal.LoginInput{
			ByName: true, Login: "trial", Password: portal.DemoPassword, Browser: portal.Browser{Place: p.place(host1001)},
		})
		if with := refused(t, err, portal.NotInCompany); with.Applied != nil {
			t.Errorf("%+v", with)
		}
	})
}

func TestAnApplicationThatIsOverChangesNoSignIn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		a := p.applicant(1001, unboundPhone)
		p.approve(a)
		in := portal.LoginInput{Phone: unboundPhone, Password: portal.DemoPassword, Browser: portal.Browser{Place: p.place(host1001)}}
		signed, err := p.login(in) // the offered account is accepted or declined on the way in
		noError(t, err)
		account, err := p.db.ApplicationByID(t.Context(), a.ID)
		noError(t, err)
		decline := portal.OfferInput{AccountID: account.AccountID, Session: signed.Session}
		noError(t, p.DeclineOffer(t.Context(), decline))
		_, err = p.login(in)
		if with := refused(t, err, portal.PhoneNotBound); with.Applied != nil {
			t.Errorf("%+v", with)
		}
	})
}

func TestAskingForACodeTellsNoMoreOfAnApplicantThanOfARegisteredPhone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.applicant(1001, newPhone)
		sends := func(phone, host string) (portal.CodeSent, int, error) {
			before := len(p.sms.codes())
			ask := p.asking(portal.ForLogin, phone, portal.NewFlow())
			ask.Place = p.place(host)
			ask.CompanyID = ask.Place.CompanyID()
			sent, err := p.ask(ask)
			p.settle()
			return sent, len(p.sms.codes()) - before, err
		}
		registered, n, err := sends(buyerPhone, host1001)
		noError(t, err)
		applicant, m, err := sends(newPhone, host1001)
		noError(t, err)
		nobody, none, err := sends("13900000777", host1001)
		noError(t, err)
		if registered != applicant || nobody != applicant || n != 1 || m != 1 || none != 0 {
			t.Errorf("%+v %d, %+v %d, %+v %d", registered, n, applicant, m, nobody, none)
		}
		if _, other, err := sends(newPhone, host1002); other != 0 || err != nil { // applied elsewhere
			t.Errorf("%d messages, %v", other, err)
		}
	}, func(o *portal.Options) { o.Strict = true })
	eachCare(t, func(t *testing.T, p *carer) {
		p.applicant(1001, newPhone)
		for host, want := range map[string]error{host1001: nil, accountHost: nil, host1002: portal.PhoneNotBound} {
			ask := p.asking(portal.ForLogin, newPhone, portal.NewFlow())
			ask.Place = p.place(host)
			ask.CompanyID = ask.Place.CompanyID()
			if _, err := p.ask(ask); !errors.Is(err, want) {
				t.Errorf("%s: %v", host, err)
			}
			p.clock.advance(portal.DefaultResend + time.Second)
		}
		reset := p.asking(portal.ForReset, newPhone, portal.NewFlow())
		_, err := p.ask(reset)
		refused(t, err, portal.PhoneNotBound) // there is no password to reset
	})
}

func TestAnIdentityThatAppliedGetsOnlyTheStateOfTheApplication(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		a := p.appliesBy(b, b.unknown(portal.WeChat, xiao), 1001, newPhone)
		c := p.program(portal.ClientApp)
		login := func() error {
			back := c.comesBack(portal.WeChat, xiao)
			_, err := p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: back.Ticket, Client: c.kind})
			return err
		}
		applied(t, login(), a, store.ApplicationPending)
		p.reject(a, "材料不全")
		if told := applied(t, login(), a, store.ApplicationRejected); told.RejectReason != "" || told.Ticket != "" {
			t.Errorf("%+v", told)
		}
		back := c.comesBack(portal.WeChat, someone(2))
		_, err := p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: back.Ticket, Client: c.kind})
		refused(t, err, portal.AccountNotFound)
	})
}
