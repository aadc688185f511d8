package portal_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

func TestAPhoneBecomesACompanyWithItsAdministratorInOneGo(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.registering(" +86 139 1234-5678 ", "", portal.NewFlow())
		in.Name, in.CompanyName = "  "+ownName+" ", " "+ownCompany+"  "
		in.Code = p.sent(p.asking(portal.ForRegister, newPhone, in.Flow))
		result, err := p.register(in)
		noError(t, err)

		m, now := result.Member, p.clock.now()
		if m.Side != store.Mgr || m.Type != store.TypeAdministrator || m.Phone != newPhone || m.Name != ownName || m.State != store.AccountActive || m.PasswordHash != "" || m.Invited {
			t.Errorf("the administrator is %+v", m.Account)
		}
		c := p.company(m.CompanyID)
		if c.Name != ownCompany || c.Language != "es" || c.Standing != store.Trial || c.Mall != store.MallOpen || c.InitialisedAt != 0 || c.IndustryID != 0 || c.Sandbox || c.Disabled || c.ExclusivePhones {
			t.Errorf("the company is %+v", c)
		}
		if c.EndsAt != store.At(now.Add(15*24*time.Hour)) || portal.TrialDaysLeft(c, now) != 15 {
			t.Errorf("the trial ends at %v", c.EndsAt.Time())
		}
		accepted, err := p.db.Acceptances(t.Context(), m.PhoneID)
		if want := (store.Acceptance{PhoneID: m.PhoneID, CompanyID: c.ID, Version: agreementV1, Lang: "es", Address: homeAddress, At: store.At(now)}); err != nil || len(accepted) != 1 || accepted[0] != want {
			t.Errorf("accepted %+v, %v", accepted, err)
		}
		s := p.stored(result.LoginResult, accountHost)
		if s.PhoneID != m.PhoneID || s.ChosenCompanyID != c.ID {
			t.Errorf("the session is %+v", s)
		}
		p.wantList(s, fmt.Sprintf("%d mgr:admin%d", c.ID, c.ID))
		if !p.opens(newPhone, newPassword) || p.events(c.ID, "company_registered") != 1 {
			t.Error("it is not signed in to, or not in the audit log")
		}
		if here := p.visits(s, m); here.Member.ID != m.ID || here.DaysLeft != 15 {
			t.Errorf("entered %+v", here.Landing)
		}
		p.clock.advance(portal.TrialLife - time.Millisecond)
		if !p.opens(newPhone, newPassword) {
			t.Error("the trial ended early")
		}
		p.clock.advance(time.Millisecond)
		sign := p.as(newPhone)
		sign.Password = newPassword
		_, err = p.login(sign)
		refused(t, err, portal.TrialEnded)
	})
}

func TestARefusedRegistrationLeavesNothingBehind(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow, other := portal.NewFlow(), portal.NewFlow()
		foreign := p.sent(p.asking(portal.ForRegister, "13900000099", flow))
		trial := p.sent(p.asking(portal.ForExperience, newPhone, flow))
		right := p.registering(newPhone, p.sent(p.asking(portal.ForRegister, newPhone, flow)), flow)
		before := p.rows(tally...)
		long := strings.Repeat("鲸", portal.MaxCompanyName+1)
		for name, c := range map[string]struct {
			change func(in *portal.RegisterInput)
			field  string
			want   portal.Problem
		}{
			"no code":                     {func(in *portal.RegisterInput) { in.Code = "" }, "code", portal.CodeRequired},
			"half a code":                 {func(in *portal.RegisterInput) { in.Code = "123" }, "code", portal.CodeMalformed},
			"no phone":                    {func(in *portal.RegisterInput) { in.Phone = "" }, "phone", portal.PhoneRequired},
			"no phone's number":           {func(in *portal.RegisterInput) { in.Phone = "12345678901" }, "phone", portal.PhoneMalformed},
			"no name":                     {func(in *portal.RegisterInput) { in.Name = " \t" }, "name", portal.NameRequired},
			"a long name":                 {func(in *portal.RegisterInput) { in.Name = strings.Repeat("名", portal.MaxName+1) }, "name", portal.NameMalformed},
			"a name of several lines":     {func(in *portal.RegisterInput) { in.Name = "Marta\nSolano" }, "name", portal.NameMalformed},
			"no company":                  {func(in *portal.RegisterInput) { in.CompanyName = "" }, "company_name", portal.CompanyRequired},
			"a long company":              {func(in *portal.RegisterInput) { in.CompanyName = long }, "company_name", portal.CompanyMalformed},
			"a company written backwards": {func(in *portal.RegisterInput) { in.CompanyName = "Azul\u202ealleB" }, "company_name", portal.CompanyMalformed},
			"a company of half letters":   {func(in *portal.RegisterInput) { in.CompanyName = "Azul\xff" }, "company_name", portal.CompanyMalformed},
			"not agreed":                  {func(in *portal.RegisterInput) { in.Agree = false }, "agree", portal.AgreeRequired},
			"no password":                 {func(in *portal.RegisterInput) { in.Password = "" }, "password", portal.PasswordRequired},
			"a short password":            {func(in *portal.RegisterInput) { in.Password = "Bw7.x" }, "password", portal.PasswordTooShort},
			"a long password":             {func(in *portal.RegisterInput) { in.Password = strings.Repeat("Bw7.x", 5) }, "password", portal.PasswordTooLong},
			"a common password":           {func(in *portal.RegisterInput) { in.Password = "woaini1314" }, "password", portal.PasswordCommon},
			"the phone as a password":     {func(in *portal.RegisterInput) { in.Password = "x912345678" }, "password", portal.PasswordPersonal},
			"the name as a password":      {func(in *portal.RegisterInput) { in.Password = "martasolano9" }, "password", portal.PasswordPersonal},
			"the company as a password":   {func(in *portal.RegisterInput) { in.Password = "ballena.azul7" }, "password", portal.PasswordPersonal},
		} {
			in := right
			c.change(&in)
			_, err := p.register(in)
			if with := new(portal.Refused); !errors.As(err, &with) || len(with.Fields) != 1 || with.Fields[c.field] != c.want {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, change := range map[string]func(in *portal.RegisterInput){
			"another phone's code":       func(in *portal.RegisterInput) { in.Code = foreign },
			"another phone":              func(in *portal.RegisterInput) { in.Phone = "13900000098" },
			"a code for something else":  func(in *portal.RegisterInput) { in.Code = trial },
			"another browser":            func(in *portal.RegisterInput) { in.Flow = other },
			"no browser":                 func(in *portal.RegisterInput) { in.Flow = "" },
			"a wrong code":               func(in *portal.RegisterInput) { in.Code = otherThan(in.Code) },
			"a wrong code with Add":      func(in *portal.RegisterInput) { in.Code, in.Add = otherThan(in.Code), true },
			"somebody's trial":           func(in *portal.RegisterInput) { in.SandboxID = 1008 },
			"a trial that never existed": func(in *portal.RegisterInput) { in.SandboxID = 1 << 40 },
		} {
			in := right
			change(&in)
			if _, err := p.register(in); !unproven(err) && (in.SandboxID == 0 || !errors.Is(err, portal.WrongParameters)) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if after := p.rows(tally...); after != before {
			t.Errorf("it left\n%s\nafter\n%s", after, before)
		}
		_, err := p.register(right)
		noError(t, err)
	})
}

func TestTheSameProofMakesOneCompanyHoweverOftenItIsShown(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		in := p.registering(newPhone, "", portal.NewFlow())
		in.Code = p.sent(p.asking(portal.ForRegister, newPhone, in.Flow))
		before := p.companies()
		var results [20]portal.Registered
		together(len(results), func(i int) {
			var err error
			if results[i], err = p.register(in); err != nil {
				t.Errorf("answer %d: %v", i, err)
			}
		})
		tokens, made := map[string]bool{}, p.membersOf(newPhone)[0]
		for _, result := range results {
			tokens[result.Token] = true
			if result.Member.ID != made.ID || result.Member.CompanyID != made.CompanyID {
				t.Errorf("one answer is %d in %d, another %d in %d", result.Member.ID, result.Member.CompanyID, made.ID, made.CompanyID)
			}
		}
		accepted, err := p.db.Acceptances(t.Context(), made.PhoneID)
		if n := len(p.membersOf(newPhone)); err != nil || n != 1 || p.companies() != before+1 || len(accepted) != 1 || p.events(made.CompanyID, "company_registered") != 1 || len(tokens) != len(results) {
			t.Errorf("%d accounts, %d companies, %d acceptances, %d tokens", n, p.companies()-before, len(accepted), len(tokens))
		}
	})
}

func TestTheSameProofOnceMoreGivesTheSameCompanyAndNothingElse(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		result, in := p.registered(newPhone)
		made := result.Member
		p.clock.advance(portal.RegistrationKept - time.Second)
		again, err := p.register(in)
		if err != nil || again.Member.ID != made.ID || p.signedIn(again.Token, accountHost) != nil {
			t.Errorf("once more: %+v, %v", again.Member.Account, err)
		}
		rows := p.rows(tally...)
		for _, change := range []func(in *portal.RegisterInput){
			func(in *portal.RegisterInput) { in.CompanyName = "Ballena Gris" }, func(in *portal.RegisterInput) { in.Name = "Mario Solano" },
		} {
			different := in
			change(&different)
			_, err = p.register(different)
			refused(t, err, portal.WrongParameters)
		}
		in.Code = otherThan(in.Code)
		if _, err = p.register(in); !unproven(err) {
			t.Errorf("a wrong code: %v", err)
		}
		if p.rows(tally...) != rows {
			t.Error("something was written")
		}
	})
}

func TestAProofIsWorthNothingOnceWhatItMadeIsOld(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		result, in := p.registered(newPhone)
		p.clock.advance(portal.RegistrationKept)
		for range 2 { // before the sweep and after
			_, err := p.register(in)
			refused(t, err, portal.CodeExpired)
			noError(t, p.Sweep(t.Context()))
		}
		if len(p.membersOf(newPhone)) != 1 || p.company(result.Member.CompanyID).Name != ownCompany {
			t.Error("the company is gone, or has company")
		}
	})
}

func TestTwoProofsOfOnePhoneAtOnceMakeOnePerson(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		first := p.registering(newPhone, "", portal.NewFlow())
		first.Code = p.sent(p.asking(portal.ForRegister, newPhone, first.Flow))
		p.clock.advance(portal.DefaultResend)
		second := p.registering(newPhone, "", portal.NewFlow())
		second.Code = p.sent(p.asking(portal.ForRegister, newPhone, second.Flow))
		trial := p.trying(newPhone, "", portal.NewFlow(), seafood)
		trial.Code = p.sent(p.asking(portal.ForExperience, newPhone, trial.Flow))
		var made atomic.Int32
		together(3, func(i int) {
			var err error
			switch i {
			case 0:
				if _, err = p.register(first); !unproven(err) {
					t.Errorf("the code that was replaced: %v", err)
				}
				return
			case 1:
				_, err = p.register(second)
			default:
				_, err = p.try(trial)
			}
			if err == nil {
				made.Add(1)
			} else if !errors.Is(err, portal.PhoneRegistered) && !unproven(err) {
				t.Errorf("%d: %v", i, err)
			}
		})
		if made.Load() == 0 {
			t.Error("nothing was made")
		}
		if _, err := p.register(second); err != nil && !errors.Is(err, portal.PhoneRegistered) {
			t.Errorf("once more: %v", err)
		}
		own := 0
		for _, m := range p.membersOf(newPhone) {
			if !m.Company.Sandbox && m.Side == store.Mgr {
				own++
			}
		}
		if own != 1 || !p.opens(newPhone, newPassword) {
			t.Errorf("%d companies", own)
		}
	})
}

func TestATakenLoginGivesTheAdministratorAnotherOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		probe, _ := p.registered("13900000098")
		for id := probe.Member.CompanyID + 1; id < probe.Member.CompanyID+4; id++ {
			p.addAccount(fmt.Sprintf("ADMIN%d", id), 1001, store.Mgr, "")
		}
		result, _ := p.registered(newPhone)
		m := result.Member
		if want := fmt.Sprintf("admin%d-", m.CompanyID); !strings.HasPrefix(m.Login, want) || len(m.Login) < len(want)+6 || m.Type != store.TypeAdministrator {
			t.Errorf("the login is %q", m.Login)
		}
	})
}

func TestNobodysTrialIsTakenByNamingIt(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		trial, _ := p.tried("13900000098", seafood)
		in := p.registering(newPhone, "", portal.NewFlow())
		in.Code = p.sent(p.asking(portal.ForRegister, newPhone, in.Flow))
		before := p.rows(tally...)
		signed := p.signIn(accountHost, managerPhone)
		sessions := p.rows(tally...)
		for _, id := range []int64{trial.CompanyID, 1001, 1008, -1} {
			in.SandboxID = id
			_, err := p.register(in)
			refused(t, err, portal.WrongParameters)
			mine := p.adding(signed.Session, ownCompany)
			mine.SandboxID = id
			_, err = p.register(mine)
			refused(t, err, portal.WrongParameters)
		}
		if p.rows(tally...) != sessions || before == sessions {
			t.Error("something was written")
		}
		if c := p.company(trial.CompanyID); !c.Sandbox || c.Name != "试用公司" {
			t.Errorf("the trial is %+v", c)
		}
	})
}
