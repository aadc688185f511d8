package onboarding_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
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
	"portico/store"
)

func TestRegisteringAPhoneCreatesACompanyAndItsAdministrator(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := onboardingtest.RegisterInput(p, " +86 139 1234-5678 ", "", core.NewFlow())
		in.Name, in.CompanyName = "  "+onboardingtest.PersonName+" ", " "+onboardingtest.CompanyName+"  "
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, in.Flow))
		result, err := onboardingtest.Register(p, in)
		portaltest.NoError(t, err)

		m, now := result.Member, p.Clock.Now()
		if m.Side != store.Mgr || m.Type != store.TypeAdministrator || m.Phone != portaltest.NewPhone ||
			m.Name != onboardingtest.PersonName || m.State != store.AccountActive || m.PasswordHash != "" || m.Invited {
			t.Errorf("the administrator is %+v", m.Account)
		}
		c := p.Company(m.CompanyID)
		if c.Name != onboardingtest.CompanyName || c.Language != "es" || c.Standing != store.Trial ||
			c.Mall != store.MallOpen || c.InitialisedAt != 0 || c.IndustryID != 0 || c.Sandbox || c.Disabled ||
			c.ExclusivePhones {
			t.Errorf("the company is %+v", c)
		}
		if c.EndsAt != store.At(now.Add(15*24*time.Hour)) || p.Access.TrialDaysLeft(c) != 15 {
			t.Errorf("the trial ends at %v", c.EndsAt.Time())
		}
		accepted, err := p.DB.Acceptances.OfPerson(t.Context(), m.PersonID)
		if want := (store.Acceptance{
			PersonID: m.PersonID, CompanyID: c.ID, Version: onboardingtest.AgreementVersion, Lang: "es",
			Address: portaltest.HomeAddress, At: store.At(now),
		}); err != nil || len(accepted) != 1 || accepted[0] != want {
			t.Errorf("accepted %+v, %v", accepted, err)
		}
		s := sessiontest.StoredSession(p.Platform, result.LoginResult, portaltest.AccountHost)
		if s.PersonID != m.PersonID || s.ChosenCompanyID != c.ID {
			t.Errorf("the session is %+v", s)
		}
		companytest.WantAccounts(p.Platform, s, fmt.Sprintf("%d mgr:admin%d", c.ID, c.ID))
		if !credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) ||
			p.CountEvents(c.ID, "company_registered") != 1 {
			t.Error("it is not signed in to, or not in the audit log")
		}
		if here := sessiontest.EnterAccount(p, s, m); here.Member.ID != m.ID || here.DaysLeft != 15 {
			t.Errorf("entered %+v", here.Landing)
		}
		p.Clock.Advance(15*24*time.Hour - time.Millisecond)
		if !credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the trial ended early")
		}
		p.Clock.Advance(time.Millisecond)
		sign := p.LoginInput(portaltest.NewPhone)
		sign.Password = portaltest.NewPassword
		_, err = p.Login(sign)
		portaltest.Refused(t, err, access.TrialEnded)
	})
}

func TestARefusedRegistrationWritesNothing(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow, other := core.NewFlow(), core.NewFlow()
		foreign := p.ReceiveCode(p.CodeRequest(core.ForRegister, "13900000099", flow))
		trial := p.ReceiveCode(p.CodeRequest(core.ForExperience, portaltest.NewPhone, flow))
		right := onboardingtest.RegisterInput(
			p,
			portaltest.NewPhone,
			p.ReceiveCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, flow)),
			flow,
		)
		before := p.DumpRows(TablesOfAttempts...)
		long := strings.Repeat("鲸", access.MaxCompanyName+1)
		for name, c := range map[string]struct {
			change func(in *onboarding.RegisterInput)
			field  string
			want   access.Problem
		}{
			"no code": {
				func(in *onboarding.RegisterInput) { in.Code = "" }, "code", access.CodeRequired,
			},
			"half a code": {
				func(in *onboarding.RegisterInput) { in.Code = "123" }, "code", access.CodeMalformed,
			},
			"no phone": {
				func(in *onboarding.RegisterInput) { in.Phone = "" }, "phone", access.PhoneRequired,
			},
			"no phone's number": {
				func(in *onboarding.RegisterInput) { in.Phone = "12345678901" }, "phone", access.PhoneMalformed,
			},
			"no name": {
				func(in *onboarding.RegisterInput) { in.Name = " \t" }, "name", access.NameRequired,
			},
			"a long name": {
				func(in *onboarding.RegisterInput) { in.Name = strings.Repeat("名", access.MaxName+1) }, "name",
				access.NameMalformed,
			},
			"a name of several lines": {
				func(in *onboarding.RegisterInput) { in.Name = "Marta\nSolano" }, "name", access.NameMalformed,
			},
			"no company": {
				func(in *onboarding.RegisterInput) { in.CompanyName = "" }, "company_name", access.CompanyRequired,
			},
			"a long company": {
				func(in *onboarding.RegisterInput) { in.CompanyName = long }, "company_name", access.CompanyMalformed,
			},
			"a company written backwards": {
				func(in *onboarding.RegisterInput) { in.CompanyName = "Azul\u0007alleB" }, "company_name",
				access.CompanyMalformed,
			},
			"a company of half letters": {
				func(in *onboarding.RegisterInput) { in.CompanyName = "Azul\xff" }, "company_name",
				access.CompanyMalformed,
			},
			"not agreed": {
				func(in *onboarding.RegisterInput) { in.Agree = false }, "agree", access.AgreeRequired,
			},
			"no password": {
				func(in *onboarding.RegisterInput) { in.Password = "" }, "password", access.PasswordRequired,
			},
			"a short password": {
				func(in *onboarding.RegisterInput) { in.Password = "Bw7.x" }, "password", core.PasswordTooShort,
			},
			"a long password": {
				func(in *onboarding.RegisterInput) { in.Password = strings.Repeat("Bw7.x", 5) }, "password",
				access.PasswordTooLong,
			},
			"a common password": {
				func(in *onboarding.RegisterInput) { in.Password = "woaini1314" }, "password", core.PasswordCommon,
			},
			"the phone as a password": {
				func(in *onboarding.RegisterInput) { in.Password = "x912345678" }, "password",
				core.PasswordPersonal,
			},
			"the name as a password": {
				func(in *onboarding.RegisterInput) { in.Password = "martasolano9" }, "password",
				core.PasswordPersonal,
			},
			"the company as a password": {
				func(in *onboarding.RegisterInput) { in.Password = "ballena.azul7" }, "password",
				core.PasswordPersonal,
			},
		} {
			in := right
			c.change(&in)
			_, err := onboardingtest.Register(p, in)
			if with := new(access.Refused); !errors.As(err, &with) || len(with.Fields) != 1 ||
				with.Fields[c.field] != c.want {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, change := range map[string]func(in *onboarding.RegisterInput){
			"another phone's code":      func(in *onboarding.RegisterInput) { in.Code = foreign },
			"another phone":             func(in *onboarding.RegisterInput) { in.Phone = "13900000098" },
			"a code for something else": func(in *onboarding.RegisterInput) { in.Code = trial },
			"another browser":           func(in *onboarding.RegisterInput) { in.Flow = other },
			"no browser":                func(in *onboarding.RegisterInput) { in.Flow = "" },
			"a wrong code":              func(in *onboarding.RegisterInput) { in.Code = portaltest.WrongCode(in.Code) },
			"a wrong code with Add": func(in *onboarding.RegisterInput) {
				in.Code,
					in.Add = portaltest.WrongCode(in.Code), true
			},
			"another person's trial":     func(in *onboarding.RegisterInput) { in.SandboxID = 1008 },
			"a trial that never existed": func(in *onboarding.RegisterInput) { in.SandboxID = 1 << 40 },
		} {
			in := right
			change(&in)
			if _, err := onboardingtest.Register(p, in); !IsCodeRefused(err) &&
				(in.SandboxID == 0 || !errors.Is(err, access.WrongParameters)) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if after := p.DumpRows(TablesOfAttempts...); after != before {
			t.Errorf("it left\n%s\nafter\n%s", after, before)
		}
		_, err := onboardingtest.Register(p, right)
		portaltest.NoError(t, err)
	})
}

func TestTheSameProofUsedConcurrentlyMakesOneCompany(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := onboardingtest.RegisterInput(p, portaltest.NewPhone, "", core.NewFlow())
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, in.Flow))
		before := companytest.CountCompanies(p.Platform)
		var results [20]onboarding.Registered
		portaltest.Together(len(results), func(i int) {
			var err error
			if results[i], err = onboardingtest.Register(p, in); err != nil {
				t.Errorf("answer %d: %v", i, err)
			}
		})
		tokens, made := map[string]bool{}, companytest.AccountsOfPhone(p.Platform, portaltest.NewPhone)[0]
		for _, result := range results {
			tokens[result.Token] = true
			if result.Member.ID != made.ID || result.Member.CompanyID != made.CompanyID {
				t.Errorf(
					"one answer is %d in %d, another %d in %d", result.Member.ID, result.Member.CompanyID, made.ID,
					made.CompanyID,
				)
			}
		}
		accepted, err := p.DB.Acceptances.OfPerson(t.Context(), made.PersonID)
		if n := len(
			companytest.AccountsOfPhone(p.Platform, portaltest.NewPhone),
		); err != nil || n != 1 || companytest.CountCompanies(p.Platform) != before+1 ||
			len(accepted) != 1 || p.CountEvents(made.CompanyID, "company_registered") != 1 ||
			len(tokens) != len(results) {
			t.Errorf(
				"%d accounts, %d companies, %d acceptances, %d tokens",
				n,
				companytest.CountCompanies(p.Platform)-before,
				len(accepted),
				len(tokens),
			)
		}
	})
}

func TestRepeatingARegistrationReturnsTheSameCompanyAndWritesNothing(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		result, in := onboardingtest.RegisterPhone(p, portaltest.NewPhone)
		made := result.Member
		p.Clock.Advance(core.RegistrationKept - time.Second)
		again, err := onboardingtest.Register(p, in)
		if err != nil || again.Member.ID != made.ID || p.RequestSignedIn(again.Token, portaltest.AccountHost) != nil {
			t.Errorf("once more: %+v, %v", again.Member.Account, err)
		}
		rows := p.DumpRows(TablesOfAttempts...)
		for _, change := range []func(in *onboarding.RegisterInput){
			func(in *onboarding.RegisterInput) { in.CompanyName = "Ballena Gris" },
			func(in *onboarding.RegisterInput) { in.Name = "Mario Solano" },
		} {
			different := in
			change(&different)
			_, err = onboardingtest.Register(p, different)
			portaltest.Refused(t, err, access.WrongParameters)
		}
		in.Code = portaltest.WrongCode(in.Code)
		if _, err = onboardingtest.Register(p, in); !IsCodeRefused(err) {
			t.Errorf("a wrong code: %v", err)
		}
		if p.DumpRows(TablesOfAttempts...) != rows {
			t.Error("something was written")
		}
	})
}

func TestAUsedProofExpires(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		result, in := onboardingtest.RegisterPhone(p, portaltest.NewPhone)
		p.Clock.Advance(core.RegistrationKept)
		for range 2 { // before the sweep and after
			_, err := onboardingtest.Register(p, in)
			portaltest.Refused(t, err, access.CodeExpired)
			portaltest.NoError(t, p.Sweep(t.Context()))
		}
		if len(companytest.AccountsOfPhone(p.Platform, portaltest.NewPhone)) != 1 ||
			p.Company(result.Member.CompanyID).Name != onboardingtest.CompanyName {
			t.Error("the company is gone, or has company")
		}
	})
}

func TestTwoConcurrentProofsOfOnePhoneMakeOnePerson(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		first := onboardingtest.RegisterInput(p, portaltest.NewPhone, "", core.NewFlow())
		first.Code = p.ReceiveCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, first.Flow))
		p.Clock.Advance(core.DefaultResend)
		second := onboardingtest.RegisterInput(p, portaltest.NewPhone, "", core.NewFlow())
		second.Code = p.ReceiveCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, second.Flow))
		trial := onboardingtest.SandboxInput(p, portaltest.NewPhone, "", core.NewFlow(), onboardingtest.Seafood)
		trial.Code = p.ReceiveCode(p.CodeRequest(core.ForExperience, portaltest.NewPhone, trial.Flow))
		var made atomic.Int32
		portaltest.Together(3, func(i int) {
			var err error
			switch i {
			case 0:
				if _, err = onboardingtest.Register(p, first); !IsCodeRefused(err) {
					t.Errorf("the code that was replaced: %v", err)
				}
				return
			case 1:
				_, err = onboardingtest.Register(p, second)
			default:
				_, err = onboardingtest.OpenSandbox(p, trial)
			}
			if err == nil {
				made.Add(1)
			} else if !errors.Is(err, access.PhoneRegistered) && !IsCodeRefused(err) {
				t.Errorf("%d: %v", i, err)
			}
		})
		if made.Load() == 0 {
			t.Error("nothing was made")
		}
		if _, err := onboardingtest.Register(p, second); err != nil && !errors.Is(err, access.PhoneRegistered) {
			t.Errorf("once more: %v", err)
		}
		own := 0
		for _, m := range companytest.AccountsOfPhone(p.Platform, portaltest.NewPhone) {
			if !m.Company.Sandbox && m.Side == store.Mgr {
				own++
			}
		}
		if own != 1 || !credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) {
			t.Errorf("%d companies", own)
		}
	})
}

func TestATakenLoginGivesTheAdministratorAnotherOne(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		probe, _ := onboardingtest.RegisterPhone(p, "13900000098")
		for id := probe.Member.CompanyID + 1; id < probe.Member.CompanyID+4; id++ {
			companytest.AddAccount(p.Platform, fmt.Sprintf("ADMIN%d", id), 1001, store.Mgr, "")
		}
		result, _ := onboardingtest.RegisterPhone(p, portaltest.NewPhone)
		m := result.Member
		if want := fmt.Sprintf("admin%d-", m.CompanyID); !strings.HasPrefix(m.Login, want) ||
			len(m.Login) < len(want)+6 || m.Type != store.TypeAdministrator {
			t.Errorf("the login is %q", m.Login)
		}
	})
}

func TestARegistrationCannotAdoptAnotherPersonsTrial(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		trial, _ := onboardingtest.OpenSandboxFor(p, "13900000098", onboardingtest.Seafood)
		in := onboardingtest.RegisterInput(p, portaltest.NewPhone, "", core.NewFlow())
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, in.Flow))
		before := p.DumpRows(TablesOfAttempts...)
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		sessions := p.DumpRows(TablesOfAttempts...)
		for _, id := range []int64{trial.CompanyID, 1001, 1008, -1} {
			in.SandboxID = id
			_, err := onboardingtest.Register(p, in)
			portaltest.Refused(t, err, access.WrongParameters)
			mine := onboardingtest.AddCompanyInput(p, signed.Session, onboardingtest.CompanyName)
			mine.SandboxID = id
			_, err = onboardingtest.Register(p, mine)
			portaltest.Refused(t, err, access.WrongParameters)
		}
		if p.DumpRows(TablesOfAttempts...) != sessions || before == sessions {
			t.Error("something was written")
		}
		if c := p.Company(trial.CompanyID); !c.Sandbox || c.Name != "试用公司" {
			t.Errorf("the trial is %+v", c)
		}
	})
}
