package onboarding_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/passwords"
	"portico/portal/portaltest"
	"portico/portal/replay"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

func TestARegisteredPhoneIsRefusedBeforeAMessageIsSent(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		for _, phone := range []string{portaltest.ManagerPhone, portaltest.UnboundPhone} {
			_, err := p.Ask(p.Asking(verification.ForRegister, phone, verification.NewFlow()))
			portaltest.Refused(t, err, access.PhoneRegistered)
		}
		if n := len(p.Sms.Codes()); n != 0 {
			t.Errorf("%d messages", n)
		}
		in := p.Registering(portaltest.ManagerPhone, "123456", verification.NewFlow())
		_, err := p.Register(in)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestInStrictPrivacyARegisteredPhoneIsRefusedOnlyAfterTheRightCode(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		in := p.Registering(portaltest.ManagerPhone, "", verification.NewFlow())
		_, err := p.Ask(p.Asking(verification.ForRegister, portaltest.ManagerPhone, in.Flow))
		portaltest.NoError(t, err)
		p.Settle()
		in.Code = p.Sms.Codes()[0].Code
		before := p.Rows(TablesOfAttempts...)
		wrong := in
		wrong.Code = portaltest.OtherThan(in.Code)
		_, err = p.Register(wrong)
		portaltest.Refused(t, err, access.CodeWrong)
		for range 2 {
			_, err = p.Register(in)
			portaltest.Refused(t, err, access.PhoneRegistered)
		}
		if p.Rows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
		in.Add, in.Password = true, ""
		result, err := p.Register(in) // the code still speaks
		if err != nil || result.Member.Phone != portaltest.ManagerPhone {
			t.Errorf("adding: %+v, %v", result.Member, err)
		}
	}, portaltest.Strict)
}

func TestACompanyIsAddedToARegisteredPhoneWithoutAPassword(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		for _, phone := range []string{portaltest.ManagerPhone, portaltest.UnboundPhone} {
			before, number := p.HashOfPhone(phone), len(p.MembersOf(phone))
			elsewhere := signin.LoginResult{}
			if phone == portaltest.ManagerPhone {
				elsewhere = p.SignIn(portaltest.AccountHost, phone)
			}
			ask := p.Asking(verification.ForRegister, phone, verification.NewFlow())
			ask.Add = true
			in := p.Registering(phone, p.Sent(ask), ask.Flow)
			in.Add, in.Password = true, "Wrong2026" // and one that is given counts for nothing
			result, err := p.Register(in)
			portaltest.NoError(t, err)
			if p.HashOfPhone(phone) != before || p.Opens(phone, "Wrong2026") ||
				!p.Opens(phone, onboarding.DemoPassword) {
				t.Error("the password was changed")
			}
			if members := p.MembersOf(phone); len(members) != number+1 ||
				members[number].CompanyID != result.Member.CompanyID {
				t.Errorf("%d accounts", len(members))
			}
			if phone == portaltest.ManagerPhone {
				portaltest.NoError(t, p.RequestSignedIn(elsewhere.Token, portaltest.AccountHost))
				p.WantList(
					p.SignIn(portaltest.AccountHost, phone).Session, "1001 mgr:jinsui",
					fmt.Sprintf("%d mgr:admin%[1]d", result.Member.CompanyID),
				)
			} else if step := p.SignIn(portaltest.AccountHost, phone).Step; step.Kind != accounts.StepEnter ||
				step.AccountID != result.Member.ID {
				t.Errorf("signing in leads to %+v", step)
			}
		}
	})
}

func TestAddingACompanyToAnUnregisteredPhoneNeedsAPassword(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		ask := p.Asking(verification.ForRegister, portaltest.NewPhone, verification.NewFlow())
		ask.Add = true
		in := p.Registering(portaltest.NewPhone, p.Sent(ask), ask.Flow)
		in.Add = true
		before := p.Rows(TablesOfAttempts...)
		for password, want := range map[string]access.Problem{
			"": access.PasswordRequired, "x912345678": passwords.PasswordPersonal,
			"Ballena.Azul": passwords.PasswordPersonal,
		} {
			in.Password = password
			_, err := p.Register(in)
			portaltest.Field(t, err, "password", want)
		}
		if p.Rows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
		in.Password = portaltest.NewPassword
		_, err := p.Register(in)
		portaltest.NoError(t, err)
		if !p.Opens(portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the password is not the one")
		}
	})
}

func TestASignedInPersonAddsACompanyWithoutACode(t *testing.T) {
	portaltest.EachCareCondition(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		in := p.Adding(signed.Session, portaltest.OwnCompany)
		in.Phone, in.Code = portaltest.NewPhone, "000000" // count for nothing
		before := p.Companies()
		var results [5]onboarding.Registered
		portaltest.Together(len(results), func(i int) {
			var err error
			if results[i], err = p.Register(in); err != nil {
				t.Errorf("%v", err)
			}
		})
		m := results[0].Member
		for _, result := range results {
			if result.Token != "" || result.Member.ID != m.ID || result.Session.ID != signed.Session.ID {
				t.Errorf("got %d, token %q", result.Member.ID, result.Token)
			}
		}
		if p.Companies() != before+1 || m.Phone != portaltest.ManagerPhone || m.Type != store.TypeAdministrator {
			t.Errorf("%d companies, %+v", p.Companies()-before, m.Account)
		}
		if s := p.Stored(signed, portaltest.AccountHost); s.ID != signed.Session.ID ||
			s.ChosenCompanyID != m.CompanyID {
			t.Errorf("the session is %+v", s)
		}
		if !p.Opens(portaltest.ManagerPhone, onboarding.DemoPassword) ||
			p.Opens(portaltest.ManagerPhone, portaltest.NewPassword) {
			t.Error("the password was changed")
		}
		in.Name = "Mario Solano"
		_, err := p.Register(in)
		portaltest.Refused(t, err, access.WrongParameters)
		other, err := p.Register(p.Adding(signed.Session, "Ballena Gris"))
		if err != nil || other.Member.CompanyID == m.CompanyID || p.Companies() != before+2 {
			t.Errorf("another company: %+v, %v", other.Member.Account, err)
		}
		_, err = p.SignOut(t.Context(), signed.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		for _, name := range []string{portaltest.OwnCompany, "Ballena Negra"} {
			in = p.Adding(signed.Session, name)
			_, err = p.Register(in)
			portaltest.Refused(t, err, access.LoginRequired)
		}
		if p.Companies() != before+2 {
			t.Error("a session that has ended made a company")
		}
	})
}

func TestACompanyOfTheSameNameCanBeAddedAfterTheRepeatWindow(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.Remembered(portaltest.ManagerPhone)
		first, err := p.Register(p.Adding(signed.Session, portaltest.OwnCompany))
		portaltest.NoError(t, err)
		p.Clock.Advance(replay.RegistrationKept + time.Second)
		second, err := p.Register(p.Adding(signed.Session, portaltest.OwnCompany)) // before anything was swept
		if err != nil || second.Member.CompanyID == first.Member.CompanyID {
			t.Errorf("%d, then %d: %v", first.Member.CompanyID, second.Member.CompanyID, err)
		}
	})
}

func TestASessionByAccountNameAddsNoCompany(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		for _, login := range []string{"northwind", "jinsui"} { // without a phone and with one
			signed := p.SignIn(portaltest.AccountHost, login)
			before := p.Rows(TablesOfAttempts...)
			_, err := p.Register(p.Adding(signed.Session, portaltest.OwnCompany))
			portaltest.Refused(t, err, access.WrongParameters)
			try := p.Trying("", "", "", portaltest.Seafood)
			try.Session = signed.Session
			_, err = p.Try(try)
			portaltest.Refused(t, err, access.WrongParameters)
			if p.Rows(TablesOfAttempts...) != before {
				t.Error("something was written")
			}
		}
	})
}

func TestCompaniesThatAPersonRegistersAreLimitedPerDay(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.Remembered(portaltest.ManagerPhone)
		for i := range onboarding.CompaniesADay {
			_, err := p.Register(p.Adding(signed.Session, fmt.Sprintf("Ballena Azul %d", i)))
			portaltest.NoError(t, err)
		}
		last := p.Adding(signed.Session, fmt.Sprintf("Ballena Azul %d", onboarding.CompaniesADay-1))
		again, companies := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone), p.Companies()
		same, err := p.Register(last) // is none more
		if err != nil || p.Companies() != companies {
			t.Errorf("the last one once more: %+v, %v", same.Member.Account, err)
		}
		p.Clock.Advance(time.Hour - time.Second)
		_, err = p.Register(p.Adding(again.Session, "Ballena Gris"))
		if with := portaltest.Refused(t, err, access.TooManyAttempts); with.Wait != 23*time.Hour+time.Second {
			t.Errorf("the wait is %v", with.Wait)
		}
		if p.Companies() != companies {
			t.Error("a company was made")
		}
		other := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		if _, err := p.Register(p.Adding(other.Session, "Ballena Gris")); err != nil {
			t.Errorf("another person: %v", err)
		}
		p.Clock.Advance(23*time.Hour + 2*time.Second)
		_, err = p.Register(p.Adding(p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone).Session, "Ballena Gris"))
		portaltest.NoError(t, err)
	})
}

func TestAnExclusivePhoneCannotRegisterOrTry(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		p.UpdateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		ask := p.Asking(verification.ForRegister, portaltest.ManagerPhone, verification.NewFlow())
		ask.Add = true
		in := p.Registering(portaltest.ManagerPhone, p.Sent(ask), ask.Flow)
		in.Add = true
		trial := p.Trying(
			portaltest.ManagerPhone, p.Sent(p.Asking(verification.ForExperience, portaltest.ManagerPhone, ask.Flow)),
			ask.Flow, portaltest.Seafood,
		)
		inSession := p.Trying("", "", "", portaltest.Seafood)
		inSession.Session = signed.Session
		before := p.Rows(TablesOfAttempts...)
		for name, try := range map[string]func() error{
			"by code": func() error { _, err := p.Register(in); return err },
			"signed in": func() error {
				_, err := p.Register(p.Adding(
					signed.Session, portaltest.OwnCompany,
				))
				return err
			},
			"trying":           func() error { _, err := p.Try(trial); return err },
			"trying signed in": func() error { _, err := p.Try(inSession); return err },
		} {
			if err := try(); !errors.Is(err, access.PhoneBoundElsewhere) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p.Rows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
	})
}

func TestAProgramRegistersAndActsOnlyAsTheAdministrator(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		ask := p.Asking(verification.ForRegister, portaltest.ManyPhone, "api:APP")
		ask.Add = true
		in := p.Registering(portaltest.ManyPhone, p.Sent(ask), ask.Flow)
		in.Add, in.Client = true, landing.ClientApp
		first, err := p.Register(in)
		portaltest.NoError(t, err)
		again, err := p.Register(in)
		portaltest.NoError(t, err)
		if first.Token != "" || first.User.Token == "" || again.User.Token == first.User.Token ||
			again.User.ID != first.User.ID {
			t.Errorf("%+v, then %+v", first.User, again.User)
		}
		s, err := p.TokenSession(string(again.User.Token))
		if err != nil || s.ActingID != first.Member.ID {
			t.Errorf("%+v, %v", s, err)
		}
		_, err = p.Landing.Token(t.Context(), landing.TokenInput{
			Token: string(again.User.Token), Client: access.ClientPC,
		})
		portaltest.Refused(t, err, access.LoginRequired)
		if slices.ContainsFunc(
			p.MembersOf(portaltest.ManyPhone), func(m store.Member) bool {
				return m.CompanyID == first.User.CompanyID &&
					m.ID != first.User.ID
			},
		) {
			t.Error("a second account was made")
		}
	})
}

func TestTheSameProofForAnotherTrialIsRefused(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		first, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		other := p.Trying("", "", "", portaltest.Groceries)
		other.Session = p.Stored(first.LoginResult, portaltest.AccountHost)
		second, err := p.Try(other)
		portaltest.NoError(t, err)
		in := p.Registering(portaltest.NewPhone, "", verification.NewFlow())
		in.Code, in.SandboxID = p.Sent(p.Asking(
			verification.ForRegister, portaltest.NewPhone, in.Flow,
		)), first.CompanyID
		result, err := p.Register(in)
		if err != nil || result.Member.CompanyID != first.CompanyID {
			t.Errorf("%+v, %v", result.Member.Account, err)
		}
		in.SandboxID = second.CompanyID
		_, err = p.Register(in)
		portaltest.Refused(t, err, access.WrongParameters)
		if !p.Company(second.CompanyID).Sandbox {
			t.Error("the other trial became a company as well")
		}
	})
}
