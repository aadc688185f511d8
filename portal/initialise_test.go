package portal_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

func (p *platform) initialise(s portal.Session, industry int64, samples bool) (portal.Initialised, error) {
	return p.Initialise(p.from(homeAddress), portal.InitialiseInput{Industry: industry, Import: samples, Session: s})
}

// goods counts what a company has: categories, products, customers, orders.
func (p *platform) goods(company int64) string {
	p.t.Helper()
	ctx := p.t.Context()
	categories, err := p.db.Categories(ctx, company)
	noError(p.t, err)
	products, err := p.db.Products(ctx, company)
	noError(p.t, err)
	clients, err := p.db.ClientsAfter(ctx, company, 0, 1000)
	noError(p.t, err)
	orders, err := p.db.Orders(ctx, company, 1<<30, 1000)
	noError(p.t, err)
	return fmt.Sprintf("%d %d %d %d", len(categories), len(products), len(clients), len(orders))
}

// packed is what a pack holds, as goods counts it.
func packed(t *testing.T, industry int64) string {
	t.Helper()
	pack, ok := portal.Samples(industry)
	if !ok {
		t.Fatal("there is no pack")
	}
	return fmt.Sprintf("%d %d %d %d", len(pack.Categories), len(pack.Products), len(pack.Customers), len(pack.Orders))
}

func TestANewCompanyIsInitialisedOnceHoweverManyAskAtOnce(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		owner, _ := p.registered(newPhone)
		s := p.stored(owner.LoginResult, accountHost)
		if c, ok, err := p.ToInitialise(t.Context(), s); err != nil || !ok || c.ID != owner.Member.CompanyID {
			t.Errorf("%d waits: %v, %v", c.ID, ok, err)
		}
		var done atomic.Int32
		together(20, func(int) {
			made, err := p.initialise(s, seafood, true)
			if err == nil {
				done.Add(1)
				if made.Company.ID != owner.Member.CompanyID || !made.Imported || made.Company.IndustryID != seafood || made.Company.InitialisedAt != store.At(p.clock.now()) {
					t.Errorf("%+v", made)
				}
			} else if !errors.Is(err, portal.WrongParameters) {
				t.Errorf("%v", err)
			}
		})
		c := p.company(owner.Member.CompanyID)
		if got := p.goods(c.ID); done.Load() != 20 || got != packed(t, seafood) || c.IndustryID != seafood || c.InitialisedAt == 0 || p.events(c.ID, "company_initialised") != 1 {
			t.Errorf("%d times; it holds %s, %+v", done.Load(), got, c)
		}
		before := p.rows(tally...)
		for _, samples := range []bool{true, false} {
			_, err := p.initialise(s, groceries, samples)
			refused(t, err, portal.WrongParameters)
		}
		if _, ok, err := p.ToInitialise(t.Context(), s); err != nil || ok || p.rows(tally...) != before {
			t.Errorf("something waits, or was written: %v", err)
		}
	})
}

func TestASkippedInitialisationLeavesTheCompanyEmptyForGood(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, industry := range []int64{0, seafood} {
			m := p.founded("zh")
			made, err := p.initialise(sessionOf(m), industry, false)
			if err != nil || made.Imported || made.Company.IndustryID != industry {
				t.Errorf("%+v, %v", made, err)
			}
			_, err = p.initialise(sessionOf(m), seafood, true)
			refused(t, err, portal.WrongParameters)
			if got := p.goods(m.CompanyID); got != "0 0 0 0" || p.company(m.CompanyID).IndustryID != industry {
				t.Errorf("it holds %s", got)
			}
		}
	})
}

func TestInitialisingNeedsAnIndustryThereIs(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.founded("zh")
		for _, c := range []struct {
			industry int64
			samples  bool
			want     portal.Problem
		}{{0, true, portal.IndustryRequired}, {120, true, portal.ChoiceRequired}, {120, false, portal.ChoiceRequired}, {-118, true, portal.ChoiceRequired}} {
			_, err := p.initialise(sessionOf(m), c.industry, c.samples)
			field(t, err, "industry", c.want)
		}
		if c := p.company(m.CompanyID); c.InitialisedAt != 0 || c.IndustryID != 0 {
			t.Errorf("the company is %+v", c)
		}
	})
}

func TestOnlyTheAdministratorOfAWaitingCompanyInitialisesIt(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.founded("zh")
		before := p.rows()
		for who, want := range map[string]portal.Refusal{
			buyerPhone:   portal.Forbidden,       // a customer
			"li.manager": portal.Forbidden,       // an employee
			managerPhone: portal.WrongParameters, // the administrator of a company from before
			"northwind":  portal.WrongParameters,
		} {
			signed := p.signIn(accountHost, who)
			signed.Session.ChosenCompanyID = m.CompanyID // whatever the browser chose
			if _, err := p.initialise(signed.Session, seafood, true); !errors.Is(err, want) {
				t.Errorf("%s: %v", who, err)
			}
			if _, ok, err := p.ToInitialise(t.Context(), signed.Session); err != nil || ok {
				t.Errorf("%s: something waits, %v", who, err)
			}
		}
		unbound := portal.Session{ID: "s", PhoneID: phoneOf(t, p.db, unboundPhone).ID, ChosenCompanyID: m.CompanyID}
		_, err := p.initialise(unbound, seafood, true)
		refused(t, err, portal.WrongParameters)
		_, err = p.initialise(portal.Session{ID: "landing"}, seafood, true)
		refused(t, err, portal.LoginRequired)
		customer := p.customerOf(m.CompanyID) // of that very company
		_, err = p.initialise(portal.Session{ID: "s", AccountID: customer.ID}, seafood, true)
		refused(t, err, portal.Forbidden)
		acting := sessionOf(m) // a token that acts as another account of the administrator's
		acting.ActingID = p.account("buyer1").ID
		if _, err = p.initialise(acting, seafood, true); err == nil {
			t.Error("a token initialised what it does not act for")
		}
		if got := p.goods(m.CompanyID); got != "0 0 1 0" || p.company(m.CompanyID).InitialisedAt != 0 || before == "" {
			t.Errorf("it holds %s", got)
		}
	})
}

func TestOfTwoWaitingCompaniesTheChosenOneIsInitialised(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, managerPhone)
		first, err := p.register(p.adding(signed.Session, ownCompany))
		noError(t, err)
		second, err := p.register(p.adding(signed.Session, "Ballena Gris"))
		noError(t, err)
		made, err := p.initialise(p.stored(signed, accountHost), seafood, true)
		if err != nil || made.Company.ID != second.Member.CompanyID {
			t.Errorf("%d, %v", made.Company.ID, err)
		}
		if got := p.goods(first.Member.CompanyID); got != "0 0 0 0" {
			t.Errorf("the other one holds %s", got)
		}
		made, err = p.initialise(p.stored(signed, accountHost), groceries, false) // goes on with what still waits
		if err != nil || made.Company.ID != first.Member.CompanyID {
			t.Errorf("%d, %v", made.Company.ID, err)
		}
	})
}

func TestABlockedCompanyIsNotInitialised(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.founded("zh")
		p.updateCompany(m.CompanyID, func(c *store.Company) { c.Disabled = true })
		_, err := p.initialise(sessionOf(m), seafood, true)
		refused(t, err, portal.CompanyDisabled)
		p.updateCompany(m.CompanyID, func(c *store.Company) { c.Disabled, c.EndsAt = false, store.At(p.clock.now()) })
		_, err = p.initialise(sessionOf(m), seafood, true)
		if with := refused(t, err, portal.TrialEnded); with.Company == nil || len(with.Contacts) == 0 {
			t.Errorf("%+v", with)
		}
		if got := p.goods(m.CompanyID); got != "0 0 0 0" {
			t.Errorf("it holds %s", got)
		}
	})
}

func TestEveryPackFillsACompanyWithAMonthOfTrade(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, hour := range []int{0, 9} { // midnight and evening where the companies are
			p.clock.ms.Store(time.Date(2026, 3, 1, 16+hour, 0, 1, 0, time.UTC).UnixMilli())
			for _, industry := range portal.Industries() {
				m := p.founded("zh")
				_, err := p.initialise(sessionOf(m), industry, true)
				noError(t, err)
				p.wantTrade(m, industry)
			}
		}
	})
}

// wantTrade checks the orders of a company that a pack filled.
func (p *platform) wantTrade(m store.Member, industry int64) {
	p.t.Helper()
	if got := p.goods(m.CompanyID); got != packed(p.t, industry) {
		p.t.Errorf("%d: it holds %s", industry, got)
	}
	now := store.At(p.clock.now())
	list, err := p.CompanyOrders(p.t.Context(), p.at(m), 0, "zh")
	noError(p.t, err)
	states, later := map[store.OrderState]int{}, now
	for i, o := range list.Orders { // the newest first
		states[o.State]++
		if o.Number != int64(len(list.Orders)-i) || o.PlacedAt > later || o.PlacedAt < now-store.Instant((60*24*time.Hour).Milliseconds()) {
			p.t.Errorf("%d: order %d of %d was placed at %v", industry, o.Number, len(list.Orders), o.PlacedAt.Time())
		}
		later = o.PlacedAt
		if confirmed := o.State == store.OrderConfirmed; confirmed != (o.ConfirmedAt != 0) || o.ConfirmedAt > now || confirmed && o.ConfirmedAt < o.PlacedAt || o.ConfirmedBy != 0 || o.AccountID != 0 || o.Sample == "" {
			p.t.Errorf("%d: order %d is %+v", industry, o.Number, o)
		}
		detail, err := p.CompanyOrder(p.t.Context(), p.at(m), o.ID, "zh")
		noError(p.t, err)
		sum := int64(0)
		for _, l := range detail.Lines {
			sum += l.Quantity * l.Price
			if l.Quantity < 1 || l.Price < 1 || l.Sample == "" {
				p.t.Errorf("%d: a line is %+v", industry, l)
			}
		}
		if len(detail.Lines) == 0 || len(detail.Lines) != o.Lines || sum != o.Total || detail.PlacedBy != "" || detail.ConfirmedBy != "" {
			p.t.Errorf("%d: order %d of %d lines comes to %d, not %d", industry, o.Number, len(detail.Lines), sum, o.Total)
		}
	}
	if len(list.Orders) < 6 || states[store.OrderNew] == 0 || states[store.OrderConfirmed] == 0 {
		p.t.Errorf("%d: %v", industry, states)
	}
}

func TestEveryPackIsReadInTheReadersLanguageWhateverTheCompanysIs(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		langs := []string{"zh", "es", "en"}
		for i, industry := range portal.Industries() {
			m := p.founded(langs[i%3])
			_, err := p.initialise(sessionOf(m), industry, true)
			noError(t, err)
			words := map[string]map[string]string{}
			for _, lang := range langs {
				words[lang] = p.wordsOf(m, lang)
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

// wordsOf are the words of everything a company has, as a reader of a language sees them.
func (p *platform) wordsOf(m store.Member, lang string) map[string]string {
	p.t.Helper()
	ctx, here, words := p.t.Context(), p.at(m), map[string]string{}
	catalogue, err := p.Catalogue(ctx, here, lang)
	noError(p.t, err)
	for _, c := range catalogue {
		words["category "+c.Sample] = c.Name
		if _, ok := portal.SamplePicture(c.Picture); !ok {
			p.t.Errorf("there is no picture %s", c.Picture)
		}
		for _, k := range c.Products {
			words["product "+k.Sample], words["spec "+k.Sample], words["unit "+k.Sample] = k.Name, k.Spec, k.Unit
		}
	}
	customers, err := p.Customers(ctx, here, 0, lang)
	noError(p.t, err)
	for _, k := range customers.Customers {
		words["customer "+k.Sample], words["contact "+k.Sample] = k.Name, k.Contact
	}
	list, err := p.CompanyOrders(ctx, here, 0, lang)
	noError(p.t, err)
	for _, o := range list.Orders {
		if o.ClientName != words["customer "+o.ClientSample] || o.ClientContact != words["contact "+o.ClientSample] {
			p.t.Errorf("order %d is of %s", o.Number, o.ClientName)
		}
		detail, err := p.CompanyOrder(ctx, here, o.ID, lang)
		noError(p.t, err)
		for _, l := range detail.Lines {
			if detail.ClientName != o.ClientName || l.Name != words["product "+l.ProductSample] || l.Unit != words["unit "+l.ProductSample] || l.Spec != words["spec "+l.ProductSample] {
				p.t.Errorf("a line of order %d is %+v", o.Number, l)
			}
		}
	}
	return words
}
