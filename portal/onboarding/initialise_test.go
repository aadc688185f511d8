package onboarding_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/samples"
	"portico/store"
)

func TestConcurrentInitialisationsFillACompanyOnce(t *testing.T) {
	portaltest.EachCareCondition(t, func(t *testing.T, p *portaltest.Carer) {
		owner, _ := p.Registered(portaltest.NewPhone)
		s := p.Stored(owner.LoginResult, portaltest.AccountHost)
		if c, ok, err := p.Onboarding.ToInitialise(t.Context(), s); err != nil || !ok ||
			c.ID != owner.Member.CompanyID {
			t.Errorf("%d waits: %v, %v", c.ID, ok, err)
		}
		var done atomic.Int32
		portaltest.Together(20, func(int) {
			made, err := p.Initialise(s, portaltest.Seafood, true)
			if err == nil {
				done.Add(1)
				if made.Company.ID != owner.Member.CompanyID || !made.Imported ||
					made.Company.IndustryID != portaltest.Seafood ||
					made.Company.InitialisedAt != store.At(p.Clock.Now()) {
					t.Errorf("%+v", made)
				}
			} else if !errors.Is(err, access.WrongParameters) {
				t.Errorf("%v", err)
			}
		})
		c := p.Company(owner.Member.CompanyID)
		if got := p.Goods(c.ID); done.Load() != 20 || got != portaltest.Packed(t, portaltest.Seafood) ||
			c.IndustryID != portaltest.Seafood || c.InitialisedAt == 0 || p.Events(c.ID, "company_initialised") != 1 {
			t.Errorf("%d times; it holds %s, %+v", done.Load(), got, c)
		}
		before := p.Rows(TablesOfAttempts...)
		for _, samples := range []bool{true, false} {
			_, err := p.Initialise(s, portaltest.Groceries, samples)
			portaltest.Refused(t, err, access.WrongParameters)
		}
		if _, ok, err := p.Onboarding.ToInitialise(t.Context(), s); err != nil || ok ||
			p.Rows(TablesOfAttempts...) != before {
			t.Errorf("something waits, or was written: %v", err)
		}
	})
}

func TestASkippedInitialisationLeavesTheCompanyEmpty(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, industry := range []int64{0, portaltest.Seafood} {
			m := p.Founded("zh")
			made, err := p.Initialise(portaltest.SessionOf(m), industry, false)
			if err != nil || made.Imported || made.Company.IndustryID != industry {
				t.Errorf("%+v, %v", made, err)
			}
			_, err = p.Initialise(portaltest.SessionOf(m), portaltest.Seafood, true)
			portaltest.Refused(t, err, access.WrongParameters)
			if got := p.Goods(m.CompanyID); got != "0 0 0 0" || p.Company(m.CompanyID).IndustryID != industry {
				t.Errorf("it holds %s", got)
			}
		}
	})
}

func TestInitialisingNeedsAKnownIndustry(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := p.Founded("zh")
		for _, c := range []struct {
			industry int64
			samples  bool
			want     access.Problem
		}{
			{0, true, access.IndustryRequired}, {120, true, access.ChoiceRequired}, {120, false, access.ChoiceRequired},
			{-118, true, access.ChoiceRequired},
		} {
			_, err := p.Initialise(portaltest.SessionOf(m), c.industry, c.samples)
			portaltest.Field(t, err, "industry", c.want)
		}
		if c := p.Company(m.CompanyID); c.InitialisedAt != 0 || c.IndustryID != 0 {
			t.Errorf("the company is %+v", c)
		}
	})
}

func TestOnlyTheAdministratorOfAWaitingCompanyInitialisesIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := p.Founded("zh")
		before := p.Rows()
		for who, want := range map[string]access.Refusal{
			portaltest.BuyerPhone:   access.Forbidden,       // a customer
			"li.manager":            access.Forbidden,       // an employee
			portaltest.ManagerPhone: access.WrongParameters, // the administrator of a company from before
			"northwind":             access.WrongParameters,
		} {
			signed := p.SignIn(portaltest.AccountHost, who)
			signed.Session.ChosenCompanyID = m.CompanyID // whatever the browser chose
			if _, err := p.Initialise(signed.Session, portaltest.Seafood, true); !errors.Is(err, want) {
				t.Errorf("%s: %v", who, err)
			}
			if _, ok, err := p.Onboarding.ToInitialise(t.Context(), signed.Session); err != nil || ok {
				t.Errorf("%s: something waits, %v", who, err)
			}
		}
		unbound := access.Session{
			ID: "s", PhoneID: portaltest.PhoneOf(t, p.Db, portaltest.UnboundPhone).ID, ChosenCompanyID: m.CompanyID,
		}
		_, err := p.Initialise(unbound, portaltest.Seafood, true)
		portaltest.Refused(t, err, access.WrongParameters)
		_, err = p.Initialise(access.Session{ID: "landing"}, portaltest.Seafood, true)
		portaltest.Refused(t, err, access.LoginRequired)
		customer := p.CustomerOf(m.CompanyID) // of that very company
		_, err = p.Initialise(access.Session{ID: "s", AccountID: customer.ID}, portaltest.Seafood, true)
		portaltest.Refused(t, err, access.Forbidden)
		acting := portaltest.SessionOf(m) // a token that acts as another account of the administrator's
		acting.ActingID = p.Account("buyer1").ID
		if _, err = p.Initialise(acting, portaltest.Seafood, true); err == nil {
			t.Error("a token initialised what it does not act for")
		}
		if got := p.Goods(m.CompanyID); got != "0 0 1 0" || p.Company(m.CompanyID).InitialisedAt != 0 || before == "" {
			t.Errorf("it holds %s", got)
		}
	})
}

func TestOnlyTheChosenOfTwoCompaniesIsInitialised(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		first, err := p.Register(p.Adding(signed.Session, portaltest.OwnCompany))
		portaltest.NoError(t, err)
		second, err := p.Register(p.Adding(signed.Session, "Ballena Gris"))
		portaltest.NoError(t, err)
		made, err := p.Initialise(p.Stored(signed, portaltest.AccountHost), portaltest.Seafood, true)
		if err != nil || made.Company.ID != second.Member.CompanyID {
			t.Errorf("%d, %v", made.Company.ID, err)
		}
		if got := p.Goods(first.Member.CompanyID); got != "0 0 0 0" {
			t.Errorf("the other one holds %s", got)
		}
		// goes on with what still waits
		made, err = p.Initialise(p.Stored(signed, portaltest.AccountHost), portaltest.Groceries, false)
		if err != nil || made.Company.ID != first.Member.CompanyID {
			t.Errorf("%d, %v", made.Company.ID, err)
		}
	})
}

func TestABlockedCompanyIsNotInitialised(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := p.Founded("zh")
		p.UpdateCompany(m.CompanyID, func(c *store.Company) { c.Disabled = true })
		_, err := p.Initialise(portaltest.SessionOf(m), portaltest.Seafood, true)
		portaltest.Refused(t, err, access.CompanyDisabled)
		p.UpdateCompany(m.CompanyID, func(c *store.Company) { c.Disabled, c.EndsAt = false, store.At(p.Clock.Now()) })
		_, err = p.Initialise(portaltest.SessionOf(m), portaltest.Seafood, true)
		if with := portaltest.Refused(t, err, access.TrialEnded); with.Company == nil || len(with.Contacts) == 0 {
			t.Errorf("%+v", with)
		}
		if got := p.Goods(m.CompanyID); got != "0 0 0 0" {
			t.Errorf("it holds %s", got)
		}
	})
}

func TestEveryPackFillsACompanyWithAMonthOfTrade(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, hour := range []int{0, 9} { // midnight and evening where the companies are
			p.Clock.Ms.Store(time.Date(2026, 3, 1, 16+hour, 0, 1, 0, time.UTC).UnixMilli())
			for _, industry := range samples.Industries() {
				m := p.Founded("zh")
				_, err := p.Initialise(portaltest.SessionOf(m), industry, true)
				portaltest.NoError(t, err)
				p.WantTrade(m, industry)
			}
		}
	})
}

func TestEveryPackIsShownInTheReadersLanguage(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		langs := []string{"zh", "es", "en"}
		for i, industry := range samples.Industries() {
			m := p.Founded(langs[i%3])
			_, err := p.Initialise(portaltest.SessionOf(m), industry, true)
			portaltest.NoError(t, err)
			words := map[string]map[string]string{}
			for _, lang := range langs {
				words[lang] = p.WordsOf(m, lang)
			}
			for key, word := range words[langs[i%3]] {
				if word == "" || words["zh"][key] == "" || words["es"][key] == "" || words["en"][key] == "" {
					t.Errorf("%d: %s has no words", industry, key)
				}
			}
			for _, pair := range [][2]string{{"zh", "es"}, {"zh", "en"}, {"es", "en"}} {
				same := 0
				for key, word := range words[pair[0]] {
					if word == words[pair[1]][key] {
						same++
					}
				}
				if same > len(words["zh"])/10 {
					t.Errorf("%d: of %d words %d are the same in %v", industry, len(words["zh"]), same, pair)
				}
			}
		}
	})
}
