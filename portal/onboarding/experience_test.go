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
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/replay"
	"portico/portal/samples"
	"portico/portal/sessions"
	"portico/portal/verification"
	"portico/store"
)

func TestAPhoneTriesThePlatformInItsOwnSandbox(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		result, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		c, now := p.Company(result.CompanyID), p.Clock.Now()
		if c.Name != "试用公司" || !c.Sandbox || c.Standing != store.Trial || c.IndustryID != portaltest.Seafood ||
			c.InitialisedAt != 0 || c.Mall != store.MallOpen || c.EndsAt != store.At(now.Add(onboarding.SandboxLife)) {
			t.Errorf("the sandbox is %+v", c)
		}
		if p.HashOfPhone(portaltest.NewPhone) != "" || p.Opens(portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the person has a password")
		}
		members := p.MembersOf(portaltest.NewPhone)
		if len(members) != 2 || members[0].Side != store.Mgr || members[0].Type != store.TypeAdministrator ||
			members[1].Side != store.Shop || members[1].ClientName != "试用客户" || members[1].PasswordHash != "" {
			t.Errorf("the accounts are %+v", members)
		}
		accepted, err := p.Db.Acceptances.OfPhone(t.Context(), members[0].PhoneID)
		if err != nil || len(accepted) != 1 || accepted[0].CompanyID != c.ID ||
			accepted[0].Version != portaltest.AgreementV1 {
			t.Errorf("accepted %+v, %v", accepted, err)
		}
		s := p.Stored(result.LoginResult, portaltest.AccountHost)
		p.WantList(s, fmt.Sprintf("%d mgr:try%[1]d shop:try%[1]d", c.ID))
		if got, ok, err := p.Onboarding.Sandbox(t.Context(), s, 0); err != nil || !ok || got.ID != c.ID {
			t.Errorf("the sandbox of the session is %d, %v", got.ID, err)
		}
		_, waits, err := p.Onboarding.ToInitialise(t.Context(), s)
		if _, refusal := p.Initialise(s, portaltest.Seafood, true); err != nil || waits ||
			!errors.Is(refusal, access.WrongParameters) {
			t.Errorf("it is initialised like a company: %v, %v", err, refusal)
		}
	})
}

func TestThereIsOneSandboxForAPhoneAndIndustry(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		first, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		p.Clock.Advance(verification.DefaultResend)
		same, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		other := p.Trying("", "", "", portaltest.Groceries)
		other.Session = p.Stored(same.LoginResult, portaltest.AccountHost)
		another, err := p.Try(other)
		portaltest.NoError(t, err)
		p.Clock.Advance(verification.DefaultResend)
		stranger, _ := p.Tried("13900000098", portaltest.Seafood)
		if same.CompanyID != first.CompanyID || another.CompanyID == first.CompanyID ||
			stranger.CompanyID == first.CompanyID || another.Token != "" {
			t.Errorf("%d, %d, %d, %d", first.CompanyID, same.CompanyID, another.CompanyID, stranger.CompanyID)
		}
		s := p.Stored(same.LoginResult, portaltest.AccountHost)
		if m := p.Role(s, "mgr", false); m.CompanyID != another.CompanyID {
			t.Errorf("the one in the middle of is %d", m.CompanyID)
		}
		if m, err := p.Rolling(onboarding.RoleInput{
			Role: "shop", Industry: portaltest.Seafood, Session: s,
		}); err != nil || m.CompanyID != first.CompanyID || m.Side != store.Shop {
			t.Errorf("the one of an industry is %d, %v", m.CompanyID, err)
		}
		again := p.Trying("", "", "", portaltest.Seafood)
		again.Session = s
		_, err = p.Try(again)
		portaltest.NoError(t, err)
		if m := p.Role(
			p.Stored(same.LoginResult, portaltest.AccountHost), "mgr", false,
		); m.CompanyID != first.CompanyID {
			t.Errorf("gone back to, the one in the middle of is %d", m.CompanyID)
		}
	})
}

func TestOneProofOpensOneSandboxWhenUsedConcurrently(t *testing.T) {
	portaltest.EachCareCondition(t, func(t *testing.T, p *portaltest.Carer) {
		in := p.Trying(portaltest.NewPhone, "", verification.NewFlow(), portaltest.Seafood)
		in.Code = p.Sent(p.Asking(verification.ForExperience, portaltest.NewPhone, in.Flow))
		before, companies := p.Companies(), map[int64]int{}
		var mu sync.Mutex
		portaltest.Together(20, func(int) {
			result, err := p.Try(in)
			if err != nil {
				t.Errorf("%v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			companies[result.CompanyID]++
		})
		if len(companies) != 1 || p.Companies() != before+1 || len(p.MembersOf(portaltest.NewPhone)) != 2 {
			t.Errorf("%v of %d", companies, p.Companies()-before)
		}
	})
}

func TestAProofOfATrialWorksOnlyForItsIndustry(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		first, in := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		again, err := p.Try(in)
		if err != nil || again.CompanyID != first.CompanyID || again.Token == first.Token {
			t.Errorf("once more: %d, %v", again.CompanyID, err)
		}
		before := p.Rows(TablesOfAttempts...)
		in.Industry = portaltest.Groceries
		_, err = p.Try(in)
		portaltest.Refused(t, err, access.WrongParameters)
		if p.Rows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
		p.Clock.Advance(replay.RegistrationKept)
		in.Industry = portaltest.Seafood
		_, err = p.Try(in)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestConcurrentTrialsOfAnIndustryByOnePersonMakeOneSandbox(t *testing.T) {
	portaltest.EachCareCondition(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		in := p.Trying("", "", "", portaltest.Seafood)
		in.Session = signed.Session
		before := p.Companies()
		portaltest.Together(10, func(int) {
			if _, err := p.Try(in); err != nil {
				t.Errorf("%v", err)
			}
		})
		if n := p.Companies() - before; n != 1 || len(p.MembersOf(portaltest.ManagerPhone)) != 3 ||
			!p.Opens(portaltest.ManagerPhone, onboarding.DemoPassword) {
			t.Errorf("%d sandboxes", n)
		}
	})
}

func TestARefusedTrialWritesNothing(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		flow := verification.NewFlow()
		register := p.Sent(p.Asking(verification.ForRegister, portaltest.NewPhone, flow))
		right := p.Trying(
			portaltest.NewPhone, p.Sent(p.Asking(verification.ForExperience, portaltest.NewPhone, flow)), flow,
			portaltest.Seafood,
		)
		before := p.Rows(TablesOfAttempts...)
		for name, change := range map[string]func(in *onboarding.ExperienceInput){
			"a code for something else": func(in *onboarding.ExperienceInput) { in.Code = register },
			"a wrong code": func(in *onboarding.ExperienceInput) {
				in.Code = portaltest.OtherThan(in.Code)
			},
			"another phone":   func(in *onboarding.ExperienceInput) { in.Phone = "13900000098" },
			"another browser": func(in *onboarding.ExperienceInput) { in.Flow = verification.NewFlow() },
		} {
			in := right
			change(&in)
			if _, err := p.Try(in); !IsCodeRefused(err) {
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
			_, err := p.Try(in)
			portaltest.Field(t, err, name, c.want)
		}
		if p.Rows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
		_, err := p.Try(right)
		portaltest.NoError(t, err)
	})
}

func TestAnInvalidRoleOrAnotherPersonsSandboxIsRefused(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		result, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		s := p.Stored(result.LoginResult, portaltest.AccountHost)
		for _, role := range []string{"", "Shop", "admin", "mgr "} {
			_, err := p.Rolling(onboarding.RoleInput{Role: role, Session: s})
			portaltest.Field(t, err, "role", access.RoleRequired)
		}
		before := p.Rows(TablesOfAttempts...)
		for name, in := range map[string]onboarding.RoleInput{
			"another industry": {Role: "mgr", Import: true, Industry: portaltest.Groceries, Session: s},
			"someone who opened none": {Role: "mgr", Import: true, Session: access.Session{
				ID: "s", PhoneID: portaltest.PhoneOf(t, p.Db, portaltest.ManagerPhone).ID,
			}},
			"one who names another's": {Role: "mgr", Import: true, Session: access.Session{
				ID: "s", PhoneID: portaltest.PhoneOf(t, p.Db, portaltest.ManagerPhone).ID,
				ChosenCompanyID: result.CompanyID,
			}},
			"an account's name": {Role: "mgr", Session: access.Session{
				ID: "s", AccountID: p.Account("jinsui").ID,
			}},
			"a real one of both sides": {Role: "shop", Session: access.Session{
				ID: "s", PhoneID: portaltest.PhoneOf(t, p.Db, portaltest.BothPhone).ID, ChosenCompanyID: 1008,
			}},
			"at a company's own house": {Role: "mgr", Session: access.Session{
				ID: "s", PhoneID: s.PhoneID, CompanyID: 1001,
			}},
			"someone without any account": {Role: "mgr", Session: access.Session{
				ID: "s", PhoneID: portaltest.PhoneOf(t, p.Db, portaltest.UnboundPhone).ID,
			}},
		} {
			_, err := p.Rolling(in)
			if !errors.Is(err, access.WrongParameters) {
				t.Errorf("%s: %v", name, err)
			}
			user, err := p.Onboarding.ExperienceUser(p.From(portaltest.HomeAddress), in, landing.ClientApp)
			if !errors.Is(err, access.WrongParameters) || user.Token != "" {
				t.Errorf("%s, a program: %v", name, err)
			}
		}
		if p.Rows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
	})
}

func TestASandboxIsFilledWithSamplesOnce(t *testing.T) {
	portaltest.EachCareCondition(t, func(t *testing.T, p *portaltest.Carer) {
		result, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		s := p.Stored(result.LoginResult, portaltest.AccountHost)
		if m := p.Role(s, "mgr", false); p.Goods(m.CompanyID) != "0 0 1 0" {
			t.Errorf("it holds %s", p.Goods(m.CompanyID))
		}
		portaltest.Together(10, func(i int) {
			if _, err := p.Rolling(onboarding.RoleInput{
				Role: []string{"shop", "mgr"}[i%2], Import: true, Session: s,
			}); err != nil {
				t.Errorf("%v", err)
			}
		})
		pack, _ := samples.Samples(portaltest.Seafood)
		want := fmt.Sprintf(
			"%d %d %d %d", len(pack.Categories), len(pack.Products), len(pack.Customers)+1, len(pack.Orders),
		)
		if got := p.Goods(result.CompanyID); got != want || p.Company(result.CompanyID).InitialisedAt == 0 {
			t.Errorf("it holds %s, want %s", got, want)
		}
		p.Role(s, "shop", true)
		if got := p.Goods(result.CompanyID); got != want {
			t.Errorf("filled again it holds %s", got)
		}
	})
}

func TestATicketOfATrialGivesATokenThatActsAsOneOfItsAccounts(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		in := p.Trying(portaltest.ManagerPhone, "", "api:APP", portaltest.Seafood) // of a person with a real account
		in.Client, in.Agree, in.Version = landing.ClientApp, false, ""
		in.Code = p.Sent(p.Asking(verification.ForExperience, portaltest.ManagerPhone, in.Flow))
		result, err := p.Try(in)
		if err != nil || result.Ticket == "" || result.Token != "" {
			t.Fatalf("%+v, %v", result, err)
		}
		_, err = p.TokenSession(result.Ticket)
		portaltest.Refused(t, err, access.LoginRequired)
		ticket, err := p.Landing.Token(t.Context(), landing.TokenInput{
			Token: result.Ticket, Client: landing.ClientApp, Ticket: true,
		})
		portaltest.NoError(t, err)
		for role, side := range map[string]store.Side{"shop": store.Shop, "mgr": store.Mgr} {
			user, err := p.Onboarding.ExperienceUser(
				p.From(portaltest.HomeAddress), onboarding.RoleInput{Role: role, Import: true, Session: ticket},
				landing.ClientApp,
			)
			portaltest.NoError(t, err)
			s, err := p.TokenSession(string(user.Token))
			portaltest.NoError(t, err)
			m, err := p.Db.Accounts.Anywhere(t.Context(), s.ActingID)
			if err != nil || m.ID != user.ID || m.CompanyID != result.CompanyID || m.Side != side ||
				!m.Company.Sandbox {
				t.Errorf("%s acts as %+v, %v", role, m.Account, err)
			}
		}
		if !slices.ContainsFunc(
			p.MembersOf(portaltest.ManagerPhone), func(m store.Member) bool { return m.Login == "jinsui" },
		) {
			t.Error("the real account is gone")
		}
		p.Clock.Advance(sessions.TicketLife + time.Second)
		_, err = p.Landing.Token(t.Context(), landing.TokenInput{
			Token: result.Ticket, Client: landing.ClientApp, Ticket: true,
		})
		portaltest.Refused(t, err, access.LoginRequired)
	})
}
