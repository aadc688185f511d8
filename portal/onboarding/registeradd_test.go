package onboarding_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

func TestARegisteredPhoneIsRefusedBeforeAMessageIsSent(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for _, phone := range []string{portaltest.ManagerPhone, portaltest.UnboundPhone} {
			_, err := p.AskCode(p.CodeRequest(core.ForRegister, phone, core.NewFlow()))
			portaltest.Refused(t, err, access.PhoneRegistered)
		}
		if n := len(p.Sms.Codes()); n != 0 {
			t.Errorf("%d messages", n)
		}
		in := onboardingtest.RegisterInput(p, portaltest.ManagerPhone, "123456", core.NewFlow())
		_, err := onboardingtest.Register(p, in)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestInStrictPrivacyARegisteredPhoneIsRefusedOnlyAfterTheRightCode(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := onboardingtest.RegisterInput(p, portaltest.ManagerPhone, "", core.NewFlow())
		_, err := p.AskCode(p.CodeRequest(core.ForRegister, portaltest.ManagerPhone, in.Flow))
		portaltest.NoError(t, err)
		p.WaitForNotices()
		in.Code = p.Sms.Codes()[0].Code
		before := p.DumpRows(TablesOfAttempts...)
		wrong := in
		wrong.Code = portaltest.WrongCode(in.Code)
		_, err = onboardingtest.Register(p, wrong)
		portaltest.Refused(t, err, access.CodeWrong)
		for range 2 {
			_, err = onboardingtest.Register(p, in)
			portaltest.Refused(t, err, access.PhoneRegistered)
		}
		if p.DumpRows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
		in.Add, in.Password = true, ""
		result, err := onboardingtest.Register(p, in) // the code still speaks
		if err != nil || result.Member.Phone != portaltest.ManagerPhone {
			t.Errorf("adding: %+v, %v", result.Member, err)
		}
	}, portaltest.Strict)
}

func TestACompanyIsAddedToARegisteredPhoneWithoutAPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for _, phone := range []string{portaltest.ManagerPhone, portaltest.UnboundPhone} {
			before, number := passwordHashOf(p.Platform, phone), len(companytest.AccountsOfPhone(p.Platform, phone))
			elsewhere := signin.LoginResult{}
			if phone == portaltest.ManagerPhone {
				elsewhere = p.SignIn(portaltest.AccountHost, phone)
			}
			ask := p.CodeRequest(core.ForRegister, phone, core.NewFlow())
			ask.Add = true
			in := onboardingtest.RegisterInput(p, phone, p.ReceiveCode(ask), ask.Flow)
			in.Add, in.Password = true, "Wrong2026" // and one that is given counts for nothing
			result, err := onboardingtest.Register(p, in)
			portaltest.NoError(t, err)
			if passwordHashOf(p.Platform, phone) != before || credentialtest.AcceptsPassword(p, phone, "Wrong2026") ||
				!credentialtest.AcceptsPassword(p, phone, onboarding.DemoPassword) {
				t.Error("the password was changed")
			}
			if members := companytest.AccountsOfPhone(p.Platform, phone); len(members) != number+1 ||
				members[number].CompanyID != result.Member.CompanyID {
				t.Errorf("%d accounts", len(members))
			}
			if phone == portaltest.ManagerPhone {
				portaltest.NoError(t, p.RequestSignedIn(elsewhere.Token, portaltest.AccountHost))
				companytest.WantAccounts(p.Platform,
					p.SignIn(portaltest.AccountHost, phone).Session, "1001 mgr:jinsui",
					fmt.Sprintf("%d mgr:admin%[1]d", result.Member.CompanyID),
				)
			} else if step := p.SignIn(portaltest.AccountHost, phone).Step; step.Kind != signin.StepEnter ||
				step.AccountID != result.Member.ID {
				t.Errorf("signing in leads to %+v", step)
			}
		}
	})
}

func TestAddingACompanyToAnUnregisteredPhoneNeedsAPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ask := p.CodeRequest(core.ForRegister, portaltest.NewPhone, core.NewFlow())
		ask.Add = true
		in := onboardingtest.RegisterInput(p, portaltest.NewPhone, p.ReceiveCode(ask), ask.Flow)
		in.Add = true
		before := p.DumpRows(TablesOfAttempts...)
		for password, want := range map[string]access.Problem{
			"": access.PasswordRequired, "x912345678": core.PasswordPersonal,
			"Ballena.Azul": core.PasswordPersonal,
		} {
			in.Password = password
			_, err := onboardingtest.Register(p, in)
			portaltest.WantField(t, err, "password", want)
		}
		if p.DumpRows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
		in.Password = portaltest.NewPassword
		_, err := onboardingtest.Register(p, in)
		portaltest.NoError(t, err)
		if !credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the password is not the one")
		}
	})
}

func TestASignedInPersonAddsACompanyWithoutACode(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		in := onboardingtest.AddCompanyInput(p, signed.Session, onboardingtest.CompanyName)
		in.Phone, in.Code = portaltest.NewPhone, "000000" // count for nothing
		before := companytest.CountCompanies(p.Platform)
		var results [5]onboarding.Registered
		portaltest.Together(len(results), func(i int) {
			var err error
			if results[i], err = onboardingtest.Register(p, in); err != nil {
				t.Errorf("%v", err)
			}
		})
		m := results[0].Member
		for _, result := range results {
			if result.Token != "" || result.Member.ID != m.ID || result.Session.ID != signed.Session.ID {
				t.Errorf("got %d, token %q", result.Member.ID, result.Token)
			}
		}
		if companytest.CountCompanies(p.Platform) != before+1 || m.Phone != portaltest.ManagerPhone ||
			m.Type != store.TypeAdministrator {
			t.Errorf("%d companies, %+v", companytest.CountCompanies(p.Platform)-before, m.Account)
		}
		if s := sessiontest.StoredSession(p.Platform, signed, portaltest.AccountHost); s.ID != signed.Session.ID ||
			s.ChosenCompanyID != m.CompanyID {
			t.Errorf("the session is %+v", s)
		}
		if !credentialtest.AcceptsPassword(p, portaltest.ManagerPhone, onboarding.DemoPassword) ||
			credentialtest.AcceptsPassword(p, portaltest.ManagerPhone, portaltest.NewPassword) {
			t.Error("the password was changed")
		}
		in.Name = "Mario Solano"
		_, err := onboardingtest.Register(p, in)
		portaltest.Refused(t, err, access.WrongParameters)
		other, err := onboardingtest.Register(p, onboardingtest.AddCompanyInput(p, signed.Session, "Ballena Gris"))
		if err != nil || other.Member.CompanyID == m.CompanyID || companytest.CountCompanies(p.Platform) != before+2 {
			t.Errorf("another company: %+v, %v", other.Member.Account, err)
		}
		_, err = p.SignOut(t.Context(), signed.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		for _, name := range []string{onboardingtest.CompanyName, "Ballena Negra"} {
			in = onboardingtest.AddCompanyInput(p, signed.Session, name)
			_, err = onboardingtest.Register(p, in)
			portaltest.Refused(t, err, access.LoginRequired)
		}
		if companytest.CountCompanies(p.Platform) != before+2 {
			t.Error("a session that has ended made a company")
		}
	})
}

func TestACompanyOfTheSameNameCanBeAddedAfterTheRepeatWindow(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := sessiontest.SignInRemembered(p.Platform, portaltest.ManagerPhone)
		first, err := onboardingtest.Register(
			p, onboardingtest.AddCompanyInput(p, signed.Session, onboardingtest.CompanyName),
		)
		portaltest.NoError(t, err)
		p.Clock.Advance(core.RegistrationKept + time.Second)
		// before anything was swept
		second, err := onboardingtest.Register(
			p, onboardingtest.AddCompanyInput(p, signed.Session, onboardingtest.CompanyName),
		)
		if err != nil || second.Member.CompanyID == first.Member.CompanyID {
			t.Errorf("%d, then %d: %v", first.Member.CompanyID, second.Member.CompanyID, err)
		}
	})
}

func TestASessionByAccountNameAddsNoCompany(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for _, login := range []string{"northwind", "jinsui"} { // without a phone and with one
			signed := p.SignIn(portaltest.AccountHost, login)
			before := p.DumpRows(TablesOfAttempts...)
			_, err := onboardingtest.Register(
				p, onboardingtest.AddCompanyInput(p, signed.Session, onboardingtest.CompanyName),
			)
			portaltest.Refused(t, err, access.WrongParameters)
			try := onboardingtest.SandboxInput(p, "", "", "", onboardingtest.Seafood)
			try.Session = signed.Session
			_, err = onboardingtest.OpenSandbox(p, try)
			portaltest.Refused(t, err, access.WrongParameters)
			if p.DumpRows(TablesOfAttempts...) != before {
				t.Error("something was written")
			}
		}
	})
}

func TestAPersonRegistersAtMostFiveCompaniesADay(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := sessiontest.SignInRemembered(p.Platform, portaltest.ManagerPhone)
		for i := range 5 {
			_, err := onboardingtest.Register(
				p, onboardingtest.AddCompanyInput(p, signed.Session, fmt.Sprintf("Ballena Azul %d", i)),
			)
			portaltest.NoError(t, err)
		}
		last := onboardingtest.AddCompanyInput(p, signed.Session, "Ballena Azul 4")
		again, companies := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone), companytest.CountCompanies(
			p.Platform,
		)
		same, err := onboardingtest.Register(p, last) // is none more
		if err != nil || companytest.CountCompanies(p.Platform) != companies {
			t.Errorf("the last one once more: %+v, %v", same.Member.Account, err)
		}
		p.Clock.Advance(time.Hour - time.Second)
		_, err = onboardingtest.Register(p, onboardingtest.AddCompanyInput(p, again.Session, "Ballena Gris"))
		if with := portaltest.Refused(t, err, access.TooManyAttempts); with.Wait != 23*time.Hour+time.Second {
			t.Errorf("the wait is %v", with.Wait)
		}
		if companytest.CountCompanies(p.Platform) != companies {
			t.Error("a company was made")
		}
		other := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		if _, err := onboardingtest.Register(
			p, onboardingtest.AddCompanyInput(p, other.Session, "Ballena Gris"),
		); err != nil {
			t.Errorf("another person: %v", err)
		}
		p.Clock.Advance(23*time.Hour + 2*time.Second)
		_, err = onboardingtest.Register(
			p,
			onboardingtest.AddCompanyInput(
				p, p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone).Session, "Ballena Gris",
			),
		)
		portaltest.NoError(t, err)
	})
}

func TestAnExclusivePhoneCannotRegisterOrTry(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.UpdateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		ask := p.CodeRequest(core.ForRegister, portaltest.ManagerPhone, core.NewFlow())
		ask.Add = true
		in := onboardingtest.RegisterInput(p, portaltest.ManagerPhone, p.ReceiveCode(ask), ask.Flow)
		in.Add = true
		trial := onboardingtest.SandboxInput(
			p,
			portaltest.ManagerPhone,
			p.ReceiveCode(p.CodeRequest(core.ForExperience, portaltest.ManagerPhone, ask.Flow)),
			ask.Flow,
			onboardingtest.Seafood,
		)
		inSession := onboardingtest.SandboxInput(p, "", "", "", onboardingtest.Seafood)
		inSession.Session = signed.Session
		before := p.DumpRows(TablesOfAttempts...)
		for name, try := range map[string]func() error{
			"by code": func() error { _, err := onboardingtest.Register(p, in); return err },
			"signed in": func() error {
				_, err := onboardingtest.Register(p, onboardingtest.AddCompanyInput(p,
					signed.Session, onboardingtest.CompanyName,
				))
				return err
			},
			"trying":           func() error { _, err := onboardingtest.OpenSandbox(p, trial); return err },
			"trying signed in": func() error { _, err := onboardingtest.OpenSandbox(p, inSession); return err },
		} {
			if err := try(); !errors.Is(err, access.PhoneBoundElsewhere) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p.DumpRows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
	})
}

func TestAProgramRegistersAndActsOnlyAsTheAdministrator(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ask := p.CodeRequest(core.ForRegister, portaltest.ManyPhone, "api:APP")
		ask.Add = true
		in := onboardingtest.RegisterInput(p, portaltest.ManyPhone, p.ReceiveCode(ask), ask.Flow)
		in.Add, in.Client = true, signin.ClientApp
		first, err := onboardingtest.Register(p, in)
		portaltest.NoError(t, err)
		again, err := onboardingtest.Register(p, in)
		portaltest.NoError(t, err)
		if first.Token != "" || first.User.Token == "" || again.User.Token == first.User.Token ||
			again.User.ID != first.User.ID {
			t.Errorf("%+v, then %+v", first.User, again.User)
		}
		s, err := credentialtest.TokenSession(p, string(again.User.Token))
		if err != nil || s.ActingID != first.Member.ID {
			t.Errorf("%+v, %v", s, err)
		}
		_, err = p.Landing.Token(t.Context(), signin.TokenInput{
			Token: string(again.User.Token), Client: access.ClientPC,
		})
		portaltest.Refused(t, err, access.LoginRequired)
		if slices.ContainsFunc(
			companytest.AccountsOfPhone(p.Platform, portaltest.ManyPhone), func(m store.Member) bool {
				return m.CompanyID == first.User.CompanyID &&
					m.ID != first.User.ID
			},
		) {
			t.Error("a second account was made")
		}
	})
}

func TestTheSameProofForAnotherTrialIsRefused(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		first, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		other := onboardingtest.SandboxInput(p, "", "", "", onboardingtest.Groceries)
		other.Session = sessiontest.StoredSession(p.Platform, first.LoginResult, portaltest.AccountHost)
		second, err := onboardingtest.OpenSandbox(p, other)
		portaltest.NoError(t, err)
		in := onboardingtest.RegisterInput(p, portaltest.NewPhone, "", core.NewFlow())
		in.Code, in.SandboxID = p.ReceiveCode(p.CodeRequest(
			core.ForRegister, portaltest.NewPhone, in.Flow,
		)), first.CompanyID
		result, err := onboardingtest.Register(p, in)
		if err != nil || result.Member.CompanyID != first.CompanyID {
			t.Errorf("%+v, %v", result.Member.Account, err)
		}
		in.SandboxID = second.CompanyID
		_, err = onboardingtest.Register(p, in)
		portaltest.Refused(t, err, access.WrongParameters)
		if !p.Company(second.CompanyID).Sandbox {
			t.Error("the other trial became a company as well")
		}
	})
}
