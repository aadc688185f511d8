package signin_test

import (
	"errors"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
	"portico/store"
)

// WantApplicationState returns what a refused sign-in says of an application. It fails the test unless err is
// UnderReview with this application, its state and its company.
func WantApplicationState(t *testing.T, err error, a store.Application, state store.ApplicationState) *access.Applied {
	t.Helper()
	with := portaltest.Refused(t, err, access.UnderReview)
	if with.Applied == nil {
		t.Fatalf("the refusal names no application: %+v", with)
	}
	if with.Applied.ID != a.ID || with.Applied.State != state || with.Company == nil || with.Company.ID != a.CompanyID {
		t.Fatalf("%+v of company %v, want application %d, %s", with.Applied, with.Company, a.ID, state)
	}
	return with.Applied
}

func TestAnApplicantWithoutAnAccountGetsTheApplicationsStateByCode(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		a := applicationtest.SendNew(p, 1001, portaltest.NewPhone)
		in, err := p.SignInByCode(chattest.Host1001, portaltest.NewPhone)
		applied := WantApplicationState(t, err, a, store.ApplicationPending)
		if who, err := p.Application.Applicant(applied.Ticket, 1001); err != nil || who.Phone() != portaltest.NewPhone {
			t.Errorf("the ticket proves %q, %v", who.Phone(), err)
		}
		_, err = p.CodeLogin(in) // the response was lost
		WantApplicationState(t, err, a, store.ApplicationPending)
		other := in
		other.Code = portaltest.WrongCode(in.Code)
		_, err = p.CodeLogin(other)
		portaltest.Refused(t, err, access.CodeExpired)
		other = in
		other.Flow = core.NewFlow()
		_, err = p.CodeLogin(other)
		portaltest.Refused(t, err, access.CodeExpired)
		p.Clock.Advance(core.RepeatWindow)
		_, err = p.CodeLogin(in)
		portaltest.Refused(t, err, access.CodeExpired)

		_, err = p.SignInByCode(portaltest.AccountHost, portaltest.NewPhone)
		if applied = WantApplicationState(t, err, a, store.ApplicationPending); applied.Ticket != "" {
			t.Error("the account site gives a ticket of the company")
		}
		reject(p, a, "材料不全")
		_, err = p.SignInByCode(chattest.Host1001, portaltest.NewPhone)
		if applied = WantApplicationState(t, err, a, store.ApplicationRejected); applied.RejectReason != "材料不全" ||
			applied.Closed {
			t.Errorf("%+v", applied)
		}
		again := applicationtest.SendNew(p, 1001, portaltest.NewPhone)
		approve(p, again)
		_, err = p.SignInByCode(chattest.Host1001, portaltest.NewPhone)
		applied = WantApplicationState(t, err, again, store.ApplicationApproved)
		// the code that was just right is enough
		done, err := p.Onboarding.Complete(p.From(portaltest.HomeAddress), onboarding.CompleteInput{
			Phone: portaltest.NewPhone, CompanyID: 1001, Ticket: applied.Ticket, Name: "Irene",
			Password: portaltest.NewPassword,
			Confirm:  portaltest.NewPassword, Browser: access.Browser{Place: p.Place(chattest.Host1001)},
		})
		portaltest.NoError(t, err)
		if done.Member.CompanyID != 1001 {
			t.Errorf("%+v", done)
		}
		_, err = p.SignInByCode(chattest.Host1001, portaltest.NewPhone)
		portaltest.NoError(t, err)
	})
}

func TestAnApplicantGetsTheApplicationsStateOnlyWithTheRightPassword(t *testing.T) {
	for _, strict := range []bool{false, true} {
		portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
			a, elsewhere := applicationtest.SendNew(p, 1001, portaltest.UnboundPhone), applicationtest.SendNew(
				p, 1001, "13800000012",
			)
			for name, c := range map[string]struct {
				host, phone string
				application store.Application
			}{
				"without an account, at the company":          {chattest.Host1001, portaltest.UnboundPhone, a},
				"without an account, at the account site":     {portaltest.AccountHost, portaltest.UnboundPhone, a},
				"with an account elsewhere, at the company":   {chattest.Host1001, "13800000012", elsewhere},
				"with an account elsewhere, by the next code": {chattest.Host1001, "13800000012", elsewhere},
			} {
				in := signin.LoginInput{Phone: c.phone, Password: "Wrong2026",
					Browser: access.Browser{Place: p.Place(c.host)}}
				_, err := p.Login(in)
				if with := portaltest.Refused(t, err, access.WrongPassword); with.Applied != nil ||
					with.Company != nil {
					t.Errorf("%s: a wrong password learns of it: %+v", name, with)
				}
				in.Password = onboarding.DemoPassword
				_, err = p.Login(in)
				if applied := WantApplicationState(t, err, c.application,
					store.ApplicationPending); applied.Ticket != "" {
					t.Errorf("%s: a password proves the phone to the company", name)
				}
			}
			_, err := p.Login(signin.LoginInput{
				Phone: portaltest.UnboundPhone, Password: onboarding.DemoPassword,
				Browser: access.Browser{Place: p.Place(chattest.Host1002)},
			})
			if with := portaltest.Refused(t, err, access.PhoneNotBound); with.Applied != nil {
				t.Errorf("another company shows it: %+v", with)
			}
			mixed := signin.ClientLoginInput{
				Login: portaltest.UnboundPhone, Password: onboarding.DemoPassword, CompanyID: 1001,
				Client: signin.ClientApp,
			}
			_, err = p.Signin.ClientLogin(p.From(portaltest.HomeAddress), mixed)
			WantApplicationState(t, err, a, store.ApplicationPending)
			mixed.Password = "Wrong2026"
			_, err = p.Signin.ClientLogin(p.From(portaltest.HomeAddress), mixed)
			if with := portaltest.Refused(t, err, access.WrongPassword); with.Applied != nil {
				t.Errorf("a wrong password learns of it: %+v", with)
			}
		}, func(o *portal.Options) { o.Strict = strict })
	}
}

func TestWithoutACompanyTheNewestPendingApplicationIsReturned(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.UpdateCompany(1002, func(c *store.Company) { c.ApplicationsReviewed = true })
		first := applicationtest.SendNew(p, 1001, portaltest.NewPhone)
		p.Clock.Advance(time.Second)
		second := applicationtest.SendNew(p, 1002, portaltest.NewPhone)
		_, err := p.SignInByCode(portaltest.AccountHost, portaltest.NewPhone)
		WantApplicationState(t, err, second, store.ApplicationPending)
		_, err = p.SignInByCode(chattest.Host1001, portaltest.NewPhone)
		WantApplicationState(t, err, first, store.ApplicationPending)
		reject(p, first, "材料不全")
		_, err = p.SignInByCode(portaltest.AccountHost, portaltest.NewPhone)
		WantApplicationState(t, err, second, store.ApplicationPending)
		p.UpdateCompany(1002, func(c *store.Company) { c.Disabled = true })
		_, err = p.SignInByCode(portaltest.AccountHost, portaltest.NewPhone)
		if with := portaltest.Refused(t, err, access.CompanyDisabled); with.Applied != nil {
			t.Errorf("%+v", with)
		}
	})
}

func TestSigningInByAccountNameReturnsNoApplicationState(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		applicationtest.SendNew(p, 1001, "13800000012")
		_, err := p.Login(signin.LoginInput{
			ByName: true, Login: "trial", Password: onboarding.DemoPassword,
			Browser: access.Browser{Place: p.Place(chattest.Host1001)},
		})
		if with := portaltest.Refused(t, err, access.NotInCompany); with.Applied != nil {
			t.Errorf("%+v", with)
		}
	})
}

func TestAFinishedApplicationDoesNotAffectASignIn(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		a := applicationtest.SendNew(p, 1001, portaltest.UnboundPhone)
		approve(p, a)
		in := signin.LoginInput{Phone: portaltest.UnboundPhone, Password: onboarding.DemoPassword,
			Browser: access.Browser{Place: p.Place(chattest.Host1001)}}
		signed, err := p.Login(in) // the offered account is accepted or declined on the way in
		portaltest.NoError(t, err)
		account, err := p.DB.Applications.ByID(t.Context(), a.ID)
		portaltest.NoError(t, err)
		decline := signin.OfferInput{AccountID: account.AccountID, Session: signed.Session}
		portaltest.NoError(t, p.Accounts.DeclineOffer(t.Context(), decline))
		_, err = p.Login(in)
		if with := portaltest.Refused(t, err, access.PhoneNotBound); with.Applied != nil {
			t.Errorf("%+v", with)
		}
	})
}

func TestRequestingACodeDoesNotRevealWhetherAPhoneHasApplied(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		applicationtest.SendNew(p, 1001, portaltest.NewPhone)
		sends := func(phone, host string) (core.CodeSent, int, error) {
			before := len(p.Sms.Codes())
			ask := p.CodeRequest(core.ForLogin, phone, core.NewFlow())
			ask.Place = p.Place(host)
			ask.CompanyID = ask.Place.CompanyID()
			sent, err := p.AskCode(ask)
			p.WaitForNotices()
			return sent, len(p.Sms.Codes()) - before, err
		}
		registered, n, err := sends(portaltest.BuyerPhone, chattest.Host1001)
		portaltest.NoError(t, err)
		applicant, m, err := sends(portaltest.NewPhone, chattest.Host1001)
		portaltest.NoError(t, err)
		nobody, none, err := sends("13900000777", chattest.Host1001)
		portaltest.NoError(t, err)
		if registered != applicant || nobody != applicant || n != 1 || m != 1 || none != 0 {
			t.Errorf("%+v %d, %+v %d, %+v %d", registered, n, applicant, m, nobody, none)
		}
		// applied elsewhere
		if _, other, err := sends(portaltest.NewPhone, chattest.Host1002); other != 0 || err != nil {
			t.Errorf("%d messages, %v", other, err)
		}
	}, func(o *portal.Options) { o.Strict = true })
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		applicationtest.SendNew(p, 1001, portaltest.NewPhone)
		for host, want := range map[string]error{chattest.Host1001: nil, portaltest.AccountHost: nil,
			chattest.Host1002: access.PhoneNotBound} {
			ask := p.CodeRequest(core.ForLogin, portaltest.NewPhone, core.NewFlow())
			ask.Place = p.Place(host)
			ask.CompanyID = ask.Place.CompanyID()
			if _, err := p.AskCode(ask); !errors.Is(err, want) {
				t.Errorf("%s: %v", host, err)
			}
			p.Clock.Advance(core.DefaultResend + time.Second)
		}
		reset := p.CodeRequest(core.ForReset, portaltest.NewPhone, core.NewFlow())
		_, err := p.AskCode(reset)
		portaltest.Refused(t, err, access.PhoneNotBound) // there is no password to reset
	})
}

func TestAnIdentityThatAppliedGetsOnlyTheStateOfTheApplication(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		a := p.SendApplication(b, b.UnknownTicket(access.WeChat, chattest.Xiao), 1001, portaltest.NewPhone)
		c := p.Program(signin.ClientApp)
		login := func() error {
			back := c.UnknownCallback(access.WeChat, chattest.Xiao)
			_, err := p.Chatlogin.LoginByTicket(c.Context(),
				signin.TicketLoginInput{Ticket: back.Ticket, Client: c.Kind})
			return err
		}
		WantApplicationState(t, login(), a, store.ApplicationPending)
		reject(p.SMSPlatform, a, "材料不全")
		if applied := WantApplicationState(t, login(), a, store.ApplicationRejected); applied.RejectReason != "" ||
			applied.Ticket != "" {
			t.Errorf("%+v", applied)
		}
		back := c.UnknownCallback(access.WeChat, chattest.Identity(2))
		_, err := p.Chatlogin.LoginByTicket(
			c.Context(), signin.TicketLoginInput{Ticket: back.Ticket, Client: c.Kind},
		)
		portaltest.Refused(t, err, access.AccountNotFound)
	})
}

// reject rejects an application to company 1001. It fails the test if that is refused.
func reject(p *portaltest.SMSPlatform, a store.Application, reason string) {
	p.T.Helper()
	_, _, err := p.Application.Review(p.T.Context(), p.Land("jinsui", portaltest.PhoneScreen), application.ReviewInput{
		ID: a.ID, Reason: reason,
	})
	portaltest.NoError(p.T, err)
}

// approve approves an application to company 1001. It fails the test if that is refused.
func approve(p *portaltest.SMSPlatform, a store.Application) {
	p.T.Helper()
	_, _, err := p.Application.Review(p.T.Context(), p.Land("jinsui", portaltest.PhoneScreen), application.ReviewInput{
		ID: a.ID, Approve: true,
	})
	portaltest.NoError(p.T, err)
}
