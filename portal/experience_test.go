package portal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// rolling chooses a role of a session's sandbox.
func (p *carer) rolling(in portal.RoleInput) (store.Member, error) {
	return p.ChooseRole(p.from(homeAddress), in)
}

func TestAPhoneTriesThePlatformInACompanyOfItsOwn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		result, _ := p.tried(newPhone, seafood)
		c, now := p.company(result.CompanyID), p.clock.now()
		if c.Name != "试用公司" || !c.Sandbox || c.Standing != store.Trial || c.IndustryID != seafood || c.InitialisedAt != 0 || c.Mall != store.MallOpen || c.EndsAt != store.At(now.Add(portal.SandboxLife)) {
			t.Errorf("the sandbox is %+v", c)
		}
		if p.hashOfPhone(newPhone) != "" || p.opens(newPhone, newPassword) {
			t.Error("the person has a password")
		}
		members := p.membersOf(newPhone)
		if len(members) != 2 || members[0].Side != store.Mgr || members[0].Type != store.TypeAdministrator || members[1].Side != store.Shop || members[1].ClientName != "试用客户" || members[1].PasswordHash != "" {
			t.Errorf("the accounts are %+v", members)
		}
		accepted, err := p.db.Acceptances(t.Context(), members[0].PhoneID)
		if err != nil || len(accepted) != 1 || accepted[0].CompanyID != c.ID || accepted[0].Version != agreementV1 {
			t.Errorf("accepted %+v, %v", accepted, err)
		}
		s := p.stored(result.LoginResult, accountHost)
		p.wantList(s, fmt.Sprintf("%d mgr:try%[1]d shop:try%[1]d", c.ID))
		if got, ok, err := p.Sandbox(t.Context(), s, 0); err != nil || !ok || got.ID != c.ID {
			t.Errorf("the sandbox of the session is %d, %v", got.ID, err)
		}
		_, waits, err := p.ToInitialise(t.Context(), s)
		if _, refusal := p.initialise(s, seafood, true); err != nil || waits || !errors.Is(refusal, portal.WrongParameters) {
			t.Errorf("it is initialised like a company: %v, %v", err, refusal)
		}
	})
}

func TestThereIsOneSandboxForAPhoneAndIndustry(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		first, _ := p.tried(newPhone, seafood)
		p.clock.advance(portal.DefaultResend)
		same, _ := p.tried(newPhone, seafood)
		other := p.trying("", "", "", groceries)
		other.Session = p.stored(same.LoginResult, accountHost)
		another, err := p.try(other)
		noError(t, err)
		p.clock.advance(portal.DefaultResend)
		stranger, _ := p.tried("13900000098", seafood)
		if same.CompanyID != first.CompanyID || another.CompanyID == first.CompanyID || stranger.CompanyID == first.CompanyID || another.Token != "" {
			t.Errorf("%d, %d, %d, %d", first.CompanyID, same.CompanyID, another.CompanyID, stranger.CompanyID)
		}
		s := p.stored(same.LoginResult, accountHost)
		if m := p.role(s, "mgr", false); m.CompanyID != another.CompanyID {
			t.Errorf("the one in the middle of is %d", m.CompanyID)
		}
		if m, err := p.rolling(portal.RoleInput{Role: "shop", Industry: seafood, Session: s}); err != nil || m.CompanyID != first.CompanyID || m.Side != store.Shop {
			t.Errorf("the one of an industry is %d, %v", m.CompanyID, err)
		}
		again := p.trying("", "", "", seafood)
		again.Session = s
		_, err = p.try(again)
		noError(t, err)
		if m := p.role(p.stored(same.LoginResult, accountHost), "mgr", false); m.CompanyID != first.CompanyID {
			t.Errorf("gone back to, the one in the middle of is %d", m.CompanyID)
		}
	})
}

func TestOneProofOpensOneSandboxHoweverManyShowIt(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		in := p.trying(newPhone, "", portal.NewFlow(), seafood)
		in.Code = p.sent(p.asking(portal.ForExperience, newPhone, in.Flow))
		before, companies := p.companies(), map[int64]int{}
		var mu sync.Mutex
		together(20, func(int) {
			result, err := p.try(in)
			if err != nil {
				t.Errorf("%v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			companies[result.CompanyID]++
		})
		if len(companies) != 1 || p.companies() != before+1 || len(p.membersOf(newPhone)) != 2 {
			t.Errorf("%v of %d", companies, p.companies()-before)
		}
	})
}

func TestAProofOfATrialIsGoodForItsIndustryAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		first, in := p.tried(newPhone, seafood)
		again, err := p.try(in)
		if err != nil || again.CompanyID != first.CompanyID || again.Token == first.Token {
			t.Errorf("once more: %d, %v", again.CompanyID, err)
		}
		before := p.rows(tally...)
		in.Industry = groceries
		_, err = p.try(in)
		refused(t, err, portal.WrongParameters)
		if p.rows(tally...) != before {
			t.Error("something was written")
		}
		p.clock.advance(portal.RegistrationKept)
		in.Industry = seafood
		_, err = p.try(in)
		refused(t, err, portal.CodeExpired)
	})
}

func TestManyTrialsOfAnIndustryAtOnceBySomeoneSignedInAreOne(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, managerPhone)
		in := p.trying("", "", "", seafood)
		in.Session = signed.Session
		before := p.companies()
		together(10, func(int) {
			if _, err := p.try(in); err != nil {
				t.Errorf("%v", err)
			}
		})
		if n := p.companies() - before; n != 1 || len(p.membersOf(managerPhone)) != 3 || !p.opens(managerPhone, portal.DemoPassword) {
			t.Errorf("%d sandboxes", n)
		}
	})
}

func TestARefusedTrialLeavesNothingBehind(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		register := p.sent(p.asking(portal.ForRegister, newPhone, flow))
		right := p.trying(newPhone, p.sent(p.asking(portal.ForExperience, newPhone, flow)), flow, seafood)
		before := p.rows(tally...)
		for name, change := range map[string]func(in *portal.ExperienceInput){
			"a code for something else": func(in *portal.ExperienceInput) { in.Code = register },
			"a wrong code":              func(in *portal.ExperienceInput) { in.Code = otherThan(in.Code) },
			"another phone":             func(in *portal.ExperienceInput) { in.Phone = "13900000098" },
			"another browser":           func(in *portal.ExperienceInput) { in.Flow = portal.NewFlow() },
		} {
			in := right
			change(&in)
			if _, err := p.try(in); !unproven(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, c := range map[string]struct {
			change func(in *portal.ExperienceInput)
			want   portal.Problem
		}{
			"code":         {func(in *portal.ExperienceInput) { in.Code = "" }, portal.CodeRequired},
			"phone":        {func(in *portal.ExperienceInput) { in.Phone = "1391234" }, portal.PhoneMalformed},
			"industry":     {func(in *portal.ExperienceInput) { in.Industry = 120 }, portal.IndustryRequired},
			"agree":        {func(in *portal.ExperienceInput) { in.Agree = false }, portal.AgreeRequired},
			"name":         {func(in *portal.ExperienceInput) { in.Name = "a\x00" }, portal.NameMalformed},
			"company_name": {func(in *portal.ExperienceInput) { in.CompanyName = strings.Repeat("a", 61) }, portal.CompanyMalformed},
		} {
			in := right
			c.change(&in)
			_, err := p.try(in)
			field(t, err, name, c.want)
		}
		if p.rows(tally...) != before {
			t.Error("something was written")
		}
		_, err := p.try(right)
		noError(t, err)
	})
}

func TestARoleIsOneOfTwoOfASandboxThatWasOpened(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		result, _ := p.tried(newPhone, seafood)
		s := p.stored(result.LoginResult, accountHost)
		for _, role := range []string{"", "Shop", "admin", "mgr "} {
			_, err := p.rolling(portal.RoleInput{Role: role, Session: s})
			field(t, err, "role", portal.RoleRequired)
		}
		before := p.rows(tally...)
		for name, in := range map[string]portal.RoleInput{
			"another industry":            {Role: "mgr", Import: true, Industry: groceries, Session: s},
			"someone who opened none":     {Role: "mgr", Import: true, Session: portal.Session{ID: "s", PhoneID: phoneOf(t, p.db, managerPhone).ID}},
			"one who names another's":     {Role: "mgr", Import: true, Session: portal.Session{ID: "s", PhoneID: phoneOf(t, p.db, managerPhone).ID, ChosenCompanyID: result.CompanyID}},
			"an account's name":           {Role: "mgr", Session: portal.Session{ID: "s", AccountID: p.account("jinsui").ID}},
			"a real one of both sides":    {Role: "shop", Session: portal.Session{ID: "s", PhoneID: phoneOf(t, p.db, bothPhone).ID, ChosenCompanyID: 1008}},
			"at a company's own house":    {Role: "mgr", Session: portal.Session{ID: "s", PhoneID: s.PhoneID, CompanyID: 1001}},
			"someone without any account": {Role: "mgr", Session: portal.Session{ID: "s", PhoneID: phoneOf(t, p.db, unboundPhone).ID}},
		} {
			_, err := p.rolling(in)
			if !errors.Is(err, portal.WrongParameters) {
				t.Errorf("%s: %v", name, err)
			}
			user, err := p.ExperienceUser(p.from(homeAddress), in, portal.ClientApp)
			if !errors.Is(err, portal.WrongParameters) || user.Token != "" {
				t.Errorf("%s, a program: %v", name, err)
			}
		}
		if p.rows(tally...) != before {
			t.Error("something was written")
		}
	})
}

func TestASandboxIsFilledOnceAtOnceOrLater(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		result, _ := p.tried(newPhone, seafood)
		s := p.stored(result.LoginResult, accountHost)
		if m := p.role(s, "mgr", false); p.goods(m.CompanyID) != "0 0 1 0" {
			t.Errorf("it holds %s", p.goods(m.CompanyID))
		}
		together(10, func(i int) {
			if _, err := p.rolling(portal.RoleInput{Role: []string{"shop", "mgr"}[i%2], Import: true, Session: s}); err != nil {
				t.Errorf("%v", err)
			}
		})
		pack, _ := portal.Samples(seafood)
		want := fmt.Sprintf("%d %d %d %d", len(pack.Categories), len(pack.Products), len(pack.Customers)+1, len(pack.Orders))
		if got := p.goods(result.CompanyID); got != want || p.company(result.CompanyID).InitialisedAt == 0 {
			t.Errorf("it holds %s, want %s", got, want)
		}
		p.role(s, "shop", true)
		if got := p.goods(result.CompanyID); got != want {
			t.Errorf("filled again it holds %s", got)
		}
	})
}

func TestATicketOfATrialGivesATokenThatActsAsOneOfItsAccounts(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.trying(managerPhone, "", "api:APP", seafood) // of someone with a real account
		in.Client, in.Agree, in.Version = portal.ClientApp, false, ""
		in.Code = p.sent(p.asking(portal.ForExperience, managerPhone, in.Flow))
		result, err := p.try(in)
		if err != nil || result.Ticket == "" || result.Token != "" {
			t.Fatalf("%+v, %v", result, err)
		}
		_, err = p.tokenSession(result.Ticket)
		refused(t, err, portal.LoginRequired)
		ticket, err := p.Token(t.Context(), portal.TokenInput{Token: result.Ticket, Client: portal.ClientApp, Ticket: true})
		noError(t, err)
		for role, side := range map[string]store.Side{"shop": store.Shop, "mgr": store.Mgr} {
			user, err := p.ExperienceUser(p.from(homeAddress), portal.RoleInput{Role: role, Import: true, Session: ticket}, portal.ClientApp)
			noError(t, err)
			s, err := p.tokenSession(string(user.Token))
			noError(t, err)
			m, err := p.db.MemberOfAccount(t.Context(), s.ActingID)
			if err != nil || m.ID != user.ID || m.CompanyID != result.CompanyID || m.Side != side || !m.Company.Sandbox {
				t.Errorf("%s acts as %+v, %v", role, m.Account, err)
			}
		}
		if !slices.ContainsFunc(p.membersOf(managerPhone), func(m store.Member) bool { return m.Login == "jinsui" }) {
			t.Error("the real account is gone")
		}
		p.clock.advance(portal.TicketLife + time.Second)
		_, err = p.Token(t.Context(), portal.TokenInput{Token: result.Ticket, Client: portal.ClientApp, Ticket: true})
		refused(t, err, portal.LoginRequired)
	})
}
