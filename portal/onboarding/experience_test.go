package onboarding_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	"portico/portal/samples"
	"portico/portal/signin"
	"portico/store"
)

func TestAPhoneTriesThePlatformInItsOwnSandbox(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		result, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		c, now := p.Company(result.CompanyID), p.Clock.Now()
		if c.Name != "试用公司" || !c.Sandbox || c.Standing != store.Trial || c.IndustryID != onboardingtest.Seafood ||
			c.InitialisedAt != 0 || c.Mall != store.MallOpen || c.EndsAt != store.At(now.Add(7*24*time.Hour)) {
			t.Errorf("the sandbox is %+v", c)
		}
		if passwordHashOf(p.Platform, portaltest.NewPhone) != "" ||
			credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the person has a password")
		}
		members := companytest.AccountsOfPhone(p.Platform, portaltest.NewPhone)
		if len(members) != 2 || members[0].Side != store.Mgr || members[0].Type != store.TypeAdministrator ||
			members[1].Side != store.Shop || members[1].ClientName != "试用客户" || members[1].PasswordHash != "" {
			t.Errorf("the accounts are %+v", members)
		}
		accepted, err := p.DB.Acceptances.OfPerson(t.Context(), members[0].PersonID)
		if err != nil || len(accepted) != 1 || accepted[0].CompanyID != c.ID ||
			accepted[0].Version != onboardingtest.AgreementVersion {
			t.Errorf("accepted %+v, %v", accepted, err)
		}
		s := sessiontest.StoredSession(p.Platform, result.LoginResult, portaltest.AccountHost)
		companytest.WantAccounts(p.Platform, s, fmt.Sprintf("%d mgr:try%[1]d shop:try%[1]d", c.ID))
		if got, ok, err := p.Onboarding.Sandbox(t.Context(), s, 0); err != nil || !ok || got.ID != c.ID {
			t.Errorf("the sandbox of the session is %d, %v", got.ID, err)
		}
		_, waits, err := p.Onboarding.ToInitialise(t.Context(), s)
		if _, refusal := onboardingtest.Initialise(p.Platform, s, onboardingtest.Seafood, true); err != nil || waits ||
			!errors.Is(refusal, access.WrongParameters) {
			t.Errorf("it is initialised like a company: %v, %v", err, refusal)
		}
	})
}

func TestThereIsOneSandboxForAPhoneAndIndustry(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		first, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		p.Clock.Advance(core.DefaultResend)
		same, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		other := onboardingtest.SandboxInput(p, "", "", "", onboardingtest.Groceries)
		other.Session = sessiontest.StoredSession(p.Platform, same.LoginResult, portaltest.AccountHost)
		another, err := onboardingtest.OpenSandbox(p, other)
		portaltest.NoError(t, err)
		p.Clock.Advance(core.DefaultResend)
		stranger, _ := onboardingtest.OpenSandboxFor(p, "13900000098", onboardingtest.Seafood)
		if same.CompanyID != first.CompanyID || another.CompanyID == first.CompanyID ||
			stranger.CompanyID == first.CompanyID || another.Token != "" {
			t.Errorf("%d, %d, %d, %d", first.CompanyID, same.CompanyID, another.CompanyID, stranger.CompanyID)
		}
		s := sessiontest.StoredSession(p.Platform, same.LoginResult, portaltest.AccountHost)
		if m := onboardingtest.RoleAccount(p, s, "mgr", false); m.CompanyID != another.CompanyID {
			t.Errorf("the one in the middle of is %d", m.CompanyID)
		}
		if m, err := onboardingtest.ChooseRole(p, onboarding.RoleInput{
			Role: "shop", Industry: onboardingtest.Seafood, Session: s,
		}); err != nil || m.CompanyID != first.CompanyID || m.Side != store.Shop {
			t.Errorf("the one of an industry is %d, %v", m.CompanyID, err)
		}
		again := onboardingtest.SandboxInput(p, "", "", "", onboardingtest.Seafood)
		again.Session = s
		_, err = onboardingtest.OpenSandbox(p, again)
		portaltest.NoError(t, err)
		if m := onboardingtest.RoleAccount(p,
			sessiontest.StoredSession(p.Platform, same.LoginResult, portaltest.AccountHost), "mgr", false,
		); m.CompanyID != first.CompanyID {
			t.Errorf("gone back to, the one in the middle of is %d", m.CompanyID)
		}
	})
}

func TestOneProofOpensOneSandboxWhenUsedConcurrently(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := onboardingtest.SandboxInput(p, portaltest.NewPhone, "", core.NewFlow(), onboardingtest.Seafood)
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForExperience, portaltest.NewPhone, in.Flow))
		before, companies := companytest.CountCompanies(p.Platform), map[int64]int{}
		var mu sync.Mutex
		portaltest.Together(20, func(int) {
			result, err := onboardingtest.OpenSandbox(p, in)
			if err != nil {
				t.Errorf("%v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			companies[result.CompanyID]++
		})
		if len(companies) != 1 || companytest.CountCompanies(p.Platform) != before+1 ||
			len(companytest.AccountsOfPhone(p.Platform, portaltest.NewPhone)) != 2 {
			t.Errorf("%v of %d", companies, companytest.CountCompanies(p.Platform)-before)
		}
	})
}

func TestAProofOfATrialWorksOnlyForItsIndustry(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		first, in := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		again, err := onboardingtest.OpenSandbox(p, in)
		if err != nil || again.CompanyID != first.CompanyID || again.Token == first.Token {
			t.Errorf("once more: %d, %v", again.CompanyID, err)
		}
		before := p.DumpRows(TablesOfAttempts...)
		in.Industry = onboardingtest.Groceries
		_, err = onboardingtest.OpenSandbox(p, in)
		portaltest.Refused(t, err, access.WrongParameters)
		if p.DumpRows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
		p.Clock.Advance(core.RegistrationKept)
		in.Industry = onboardingtest.Seafood
		_, err = onboardingtest.OpenSandbox(p, in)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestConcurrentTrialsOfAnIndustryByOnePersonMakeOneSandbox(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		in := onboardingtest.SandboxInput(p, "", "", "", onboardingtest.Seafood)
		in.Session = signed.Session
		before := companytest.CountCompanies(p.Platform)
		portaltest.Together(10, func(int) {
			if _, err := onboardingtest.OpenSandbox(p, in); err != nil {
				t.Errorf("%v", err)
			}
		})
		if n := companytest.CountCompanies(p.Platform) - before; n != 1 ||
			len(companytest.AccountsOfPhone(p.Platform, portaltest.ManagerPhone)) != 3 ||
			!credentialtest.AcceptsPassword(p, portaltest.ManagerPhone, onboarding.DemoPassword) {
			t.Errorf("%d sandboxes", n)
		}
	})
}

func TestARefusedTrialWritesNothing(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		register := p.ReceiveCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, flow))
		right := onboardingtest.SandboxInput(
			p,
			portaltest.NewPhone,
			p.ReceiveCode(p.CodeRequest(core.ForExperience, portaltest.NewPhone, flow)),
			flow,
			onboardingtest.Seafood,
		)
		before := p.DumpRows(TablesOfAttempts...)
		for name, change := range map[string]func(in *onboarding.ExperienceInput){
			"a code for something else": func(in *onboarding.ExperienceInput) { in.Code = register },
			"a wrong code": func(in *onboarding.ExperienceInput) {
				in.Code = portaltest.WrongCode(in.Code)
			},
			"another phone":   func(in *onboarding.ExperienceInput) { in.Phone = "13900000098" },
			"another browser": func(in *onboarding.ExperienceInput) { in.Flow = core.NewFlow() },
		} {
			in := right
			change(&in)
			if _, err := onboardingtest.OpenSandbox(p, in); !IsCodeRefused(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, c := range map[string]struct {
			change func(in *onboarding.ExperienceInput)
			want   access.Problem
		}{
			"code":     {func(in *onboarding.ExperienceInput) { in.Code = "" }, access.CodeRequired},
			"phone":    {func(in *onboarding.ExperienceInput) { in.Phone = "1391234" }, access.PhoneMalformed},
			"industry": {func(in *onboarding.ExperienceInput) { in.Industry = 120 }, access.IndustryRequired},
			"agree":    {func(in *onboarding.ExperienceInput) { in.Agree = false }, access.AgreeRequired},
			"name":     {func(in *onboarding.ExperienceInput) { in.Name = "a\x00" }, access.NameMalformed},
			"company_name": {
				func(in *onboarding.ExperienceInput) { in.CompanyName = strings.Repeat("a", 61) },
				access.CompanyMalformed,
			},
		} {
			in := right
			c.change(&in)
			_, err := onboardingtest.OpenSandbox(p, in)
			portaltest.WantField(t, err, name, c.want)
		}
		if p.DumpRows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
		_, err := onboardingtest.OpenSandbox(p, right)
		portaltest.NoError(t, err)
	})
}

func TestAnInvalidRoleOrAnotherPersonsSandboxIsRefused(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		result, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		s := sessiontest.StoredSession(p.Platform, result.LoginResult, portaltest.AccountHost)
		for _, role := range []string{"", "Shop", "admin", "mgr "} {
			_, err := onboardingtest.ChooseRole(p, onboarding.RoleInput{Role: role, Session: s})
			portaltest.WantField(t, err, "role", access.RoleRequired)
		}
		before := p.DumpRows(TablesOfAttempts...)
		for name, in := range map[string]onboarding.RoleInput{
			"another industry": {Role: "mgr", Import: true, Industry: onboardingtest.Groceries, Session: s},
			"someone who opened none": {Role: "mgr", Import: true, Session: access.Session{
				ID: "s", PersonID: portaltest.PersonOf(t, p.DB, portaltest.ManagerPhone).ID,
			}},
			"one who names another's": {Role: "mgr", Import: true, Session: access.Session{
				ID: "s", PersonID: portaltest.PersonOf(t, p.DB, portaltest.ManagerPhone).ID,
				ChosenCompanyID: result.CompanyID,
			}},
			"an account's name": {Role: "mgr", Session: access.Session{
				ID: "s", AccountID: p.Account("jinsui").ID,
			}},
			"a real one of both sides": {Role: "shop", Session: access.Session{
				ID: "s", PersonID: portaltest.PersonOf(t, p.DB, portaltest.BothPhone).ID, ChosenCompanyID: 1008,
			}},
			"at a company's own house": {Role: "mgr", Session: access.Session{
				ID: "s", PersonID: s.PersonID, CompanyID: 1001,
			}},
			"someone without any account": {Role: "mgr", Session: access.Session{
				ID: "s", PersonID: portaltest.PersonOf(t, p.DB, portaltest.UnboundPhone).ID,
			}},
		} {
			_, err := onboardingtest.ChooseRole(p, in)
			if !errors.Is(err, access.WrongParameters) {
				t.Errorf("%s: %v", name, err)
			}
			user, err := p.Onboarding.ExperienceUser(p.From(portaltest.HomeAddress), in, signin.ClientApp)
			if !errors.Is(err, access.WrongParameters) || user.Token != "" {
				t.Errorf("%s, a program: %v", name, err)
			}
		}
		if p.DumpRows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
	})
}

func TestASandboxIsFilledWithSamplesOnce(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		result, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		s := sessiontest.StoredSession(p.Platform, result.LoginResult, portaltest.AccountHost)
		if m := onboardingtest.RoleAccount(p, s, "mgr", false); onboardingtest.CountGoods(
			p.Platform, m.CompanyID,
		) != "0 0 1 0" {
			t.Errorf("it holds %s", onboardingtest.CountGoods(p.Platform, m.CompanyID))
		}
		portaltest.Together(10, func(i int) {
			if _, err := onboardingtest.ChooseRole(p, onboarding.RoleInput{
				Role: []string{"shop", "mgr"}[i%2], Import: true, Session: s,
			}); err != nil {
				t.Errorf("%v", err)
			}
		})
		pack, _ := samples.Samples(onboardingtest.Seafood)
		want := fmt.Sprintf(
			"%d %d %d %d", len(pack.Categories), len(pack.Products), len(pack.Customers)+1, len(pack.Orders),
		)
		if got := onboardingtest.CountGoods(p.Platform, result.CompanyID); got != want ||
			p.Company(result.CompanyID).InitialisedAt == 0 {
			t.Errorf("it holds %s, want %s", got, want)
		}
		onboardingtest.RoleAccount(p, s, "shop", true)
		if got := onboardingtest.CountGoods(p.Platform, result.CompanyID); got != want {
			t.Errorf("filled again it holds %s", got)
		}
	})
}

func TestATicketOfATrialGivesATokenThatActsAsOneOfItsAccounts(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		// of someone with a real account
		// of a person with a real account
		in := onboardingtest.SandboxInput(p, portaltest.ManagerPhone, "", "api:APP", onboardingtest.Seafood)
		in.Client, in.Agree, in.Version = signin.ClientApp, false, ""
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForExperience, portaltest.ManagerPhone, in.Flow))
		result, err := onboardingtest.OpenSandbox(p, in)
		if err != nil || result.Ticket == "" || result.Token != "" {
			t.Fatalf("%+v, %v", result, err)
		}
		_, err = credentialtest.TokenSession(p, result.Ticket)
		portaltest.Refused(t, err, access.LoginRequired)
		ticket, err := p.Landing.Token(t.Context(), signin.TokenInput{
			Token: result.Ticket, Client: signin.ClientApp, Ticket: true,
		})
		portaltest.NoError(t, err)
		for role, side := range map[string]store.Side{"shop": store.Shop, "mgr": store.Mgr} {
			user, err := p.Onboarding.ExperienceUser(
				p.From(portaltest.HomeAddress), onboarding.RoleInput{Role: role, Import: true, Session: ticket},
				signin.ClientApp,
			)
			portaltest.NoError(t, err)
			s, err := credentialtest.TokenSession(p, string(user.Token))
			portaltest.NoError(t, err)
			m, err := p.DB.Accounts.OfAnyCompany(t.Context(), s.ActingID)
			if err != nil || m.ID != user.ID || m.CompanyID != result.CompanyID || m.Side != side ||
				!m.Company.Sandbox {
				t.Errorf("%s acts as %+v, %v", role, m.Account, err)
			}
		}
		if !slices.ContainsFunc(
			companytest.AccountsOfPhone(p.Platform, portaltest.ManagerPhone),
			func(m store.Member) bool { return m.Login == "jinsui" },
		) {
			t.Error("the real account is gone")
		}
		p.Clock.Advance(core.TicketLife + time.Second)
		_, err = p.Landing.Token(t.Context(), signin.TokenInput{
			Token: result.Ticket, Client: signin.ClientApp, Ticket: true,
		})
		portaltest.Refused(t, err, access.LoginRequired)
	})
}
