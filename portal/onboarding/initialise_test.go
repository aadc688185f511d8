package onboarding_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/lists"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/samples"
	"portico/portal/shop"
	"portico/store"
)

func TestConcurrentInitialisationsFillACompanyOnce(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		owner, _ := onboardingtest.RegisterPhone(p, portaltest.NewPhone)
		s := sessiontest.StoredSession(p.Platform, owner.LoginResult, portaltest.AccountHost)
		if c, ok, err := p.Onboarding.ToInitialise(t.Context(), s); err != nil || !ok ||
			c.ID != owner.Member.CompanyID {
			t.Errorf("%d waits: %v, %v", c.ID, ok, err)
		}
		var done atomic.Int32
		portaltest.Together(20, func(int) {
			made, err := onboardingtest.Initialise(p.Platform, s, onboardingtest.Seafood, true)
			if err == nil {
				done.Add(1)
				if made.Company.ID != owner.Member.CompanyID || !made.Imported ||
					made.Company.IndustryID != onboardingtest.Seafood ||
					made.Company.InitialisedAt != store.At(p.Clock.Now()) {
					t.Errorf("%+v", made)
				}
			} else if !errors.Is(err, access.WrongParameters) {
				t.Errorf("%v", err)
			}
		})
		c := p.Company(owner.Member.CompanyID)
		if got := onboardingtest.CountGoods(
			p.Platform, c.ID,
		); done.Load() != 20 || got != countPack(t, onboardingtest.Seafood) ||
			c.IndustryID != onboardingtest.Seafood || c.InitialisedAt == 0 ||
			p.CountEvents(c.ID, "company_initialised") != 1 {
			t.Errorf("%d times; it holds %s, %+v", done.Load(), got, c)
		}
		before := p.DumpRows(TablesOfAttempts...)
		for _, samples := range []bool{true, false} {
			_, err := onboardingtest.Initialise(p.Platform, s, onboardingtest.Groceries, samples)
			portaltest.Refused(t, err, access.WrongParameters)
		}
		if _, ok, err := p.Onboarding.ToInitialise(t.Context(), s); err != nil || ok ||
			p.DumpRows(TablesOfAttempts...) != before {
			t.Errorf("something waits, or was written: %v", err)
		}
	})
}

func TestASkippedInitialisationLeavesTheCompanyEmpty(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, industry := range []int64{0, onboardingtest.Seafood} {
			m := companytest.AddCompany(p, "zh")
			made, err := onboardingtest.Initialise(p, companytest.SessionOf(m), industry, false)
			if err != nil || made.Imported || made.Company.IndustryID != industry {
				t.Errorf("%+v, %v", made, err)
			}
			_, err = onboardingtest.Initialise(p, companytest.SessionOf(m), onboardingtest.Seafood, true)
			portaltest.Refused(t, err, access.WrongParameters)
			if got := onboardingtest.CountGoods(p, m.CompanyID); got != "0 0 0 0" ||
				p.Company(m.CompanyID).IndustryID != industry {
				t.Errorf("it holds %s", got)
			}
		}
	})
}

func TestInitialisingNeedsAKnownIndustry(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		for _, c := range []struct {
			industry int64
			samples  bool
			want     access.Problem
		}{
			{0, true, access.IndustryRequired}, {120, true, access.ChoiceRequired}, {120, false, access.ChoiceRequired},
			{-118, true, access.ChoiceRequired},
		} {
			_, err := onboardingtest.Initialise(p, companytest.SessionOf(m), c.industry, c.samples)
			portaltest.WantField(t, err, "industry", c.want)
		}
		if c := p.Company(m.CompanyID); c.InitialisedAt != 0 || c.IndustryID != 0 {
			t.Errorf("the company is %+v", c)
		}
	})
}

func TestOnlyTheAdministratorOfAWaitingCompanyInitialisesIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		before := p.DumpRows()
		for who, want := range map[string]access.Refusal{
			portaltest.BuyerPhone:   access.Forbidden,       // a customer
			"li.manager":            access.Forbidden,       // an employee
			portaltest.ManagerPhone: access.WrongParameters, // the administrator of a company from before
			"northwind":             access.WrongParameters,
		} {
			signed := p.SignIn(portaltest.AccountHost, who)
			signed.Session.ChosenCompanyID = m.CompanyID // whatever the browser chose
			if _, err := onboardingtest.Initialise(p, signed.Session, onboardingtest.Seafood, true); !errors.Is(
				err, want,
			) {
				t.Errorf("%s: %v", who, err)
			}
			if _, ok, err := p.Onboarding.ToInitialise(t.Context(), signed.Session); err != nil || ok {
				t.Errorf("%s: something waits, %v", who, err)
			}
		}
		unbound := access.Session{
			ID: "s", PersonID: portaltest.PersonOf(t, p.DB, portaltest.UnboundPhone).ID, ChosenCompanyID: m.CompanyID,
		}
		_, err := onboardingtest.Initialise(p, unbound, onboardingtest.Seafood, true)
		portaltest.Refused(t, err, access.WrongParameters)
		_, err = onboardingtest.Initialise(p, access.Session{ID: "landing"}, onboardingtest.Seafood, true)
		portaltest.Refused(t, err, access.LoginRequired)
		customer := companytest.AddCustomer(p, m.CompanyID) // of that very company
		_, err = onboardingtest.Initialise(
			p, access.Session{ID: "s", AccountID: customer.ID}, onboardingtest.Seafood, true,
		)
		portaltest.Refused(t, err, access.Forbidden)
		acting := companytest.SessionOf(m) // a token that acts as another account of the administrator's
		acting.ActingID = p.Account("buyer1").ID
		if _, err = onboardingtest.Initialise(p, acting, onboardingtest.Seafood, true); err == nil {
			t.Error("a token initialised what it does not act for")
		}
		if got := onboardingtest.CountGoods(
			p, m.CompanyID,
		); got != "0 0 1 0" || p.Company(m.CompanyID).InitialisedAt != 0 ||
			before == "" {
			t.Errorf("it holds %s", got)
		}
	})
}

func TestOnlyTheChosenOfTwoCompaniesIsInitialised(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		first, err := onboardingtest.Register(
			p, onboardingtest.AddCompanyInput(p, signed.Session, onboardingtest.CompanyName),
		)
		portaltest.NoError(t, err)
		second, err := onboardingtest.Register(p, onboardingtest.AddCompanyInput(p, signed.Session, "Ballena Gris"))
		portaltest.NoError(t, err)
		made, err := onboardingtest.Initialise(
			p.Platform, sessiontest.StoredSession(p.Platform, signed, portaltest.AccountHost), onboardingtest.Seafood,
			true,
		)
		if err != nil || made.Company.ID != second.Member.CompanyID {
			t.Errorf("%d, %v", made.Company.ID, err)
		}
		if got := onboardingtest.CountGoods(p.Platform, first.Member.CompanyID); got != "0 0 0 0" {
			t.Errorf("the other one holds %s", got)
		}
		// goes on with what still waits
		made, err = onboardingtest.Initialise(
			p.Platform, sessiontest.StoredSession(p.Platform, signed, portaltest.AccountHost), onboardingtest.Groceries,
			false,
		)
		if err != nil || made.Company.ID != first.Member.CompanyID {
			t.Errorf("%d, %v", made.Company.ID, err)
		}
	})
}

func TestABlockedCompanyIsNotInitialised(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		p.UpdateCompany(m.CompanyID, func(c *store.Company) { c.Disabled = true })
		_, err := onboardingtest.Initialise(p, companytest.SessionOf(m), onboardingtest.Seafood, true)
		portaltest.Refused(t, err, access.CompanyDisabled)
		p.UpdateCompany(m.CompanyID, func(c *store.Company) { c.Disabled, c.EndsAt = false, store.At(p.Clock.Now()) })
		_, err = onboardingtest.Initialise(p, companytest.SessionOf(m), onboardingtest.Seafood, true)
		if with := portaltest.Refused(t, err, access.TrialEnded); with.Company == nil || len(with.Contacts) == 0 {
			t.Errorf("%+v", with)
		}
		if got := onboardingtest.CountGoods(p, m.CompanyID); got != "0 0 0 0" {
			t.Errorf("it holds %s", got)
		}
	})
}

func TestEveryPackFillsACompanyWithAMonthOfTrade(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, hour := range []int{0, 9} { // midnight and evening where the companies are
			p.Clock.Ms.Store(time.Date(2026, 3, 1, 16+hour, 0, 1, 0, time.UTC).UnixMilli())
			for _, industry := range samples.Industries() {
				m := companytest.AddCompany(p, "zh")
				_, err := onboardingtest.Initialise(p, companytest.SessionOf(m), industry, true)
				portaltest.NoError(t, err)
				wantSampleOrders(p, m, industry)
			}
		}
	})
}

// Customers keep the names of the company's language, so that all colleagues use the same name for a customer.
func TestProductsOfEveryPackAreShownInTheReadersLanguage(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		langs := []string{"zh", "es", "en"}
		for i, industry := range samples.Industries() {
			m := companytest.AddCompany(p, langs[i%3])
			_, err := onboardingtest.Initialise(p, companytest.SessionOf(m), industry, true)
			portaltest.NoError(t, err)
			words := map[string]map[string]string{}
			for _, lang := range langs {
				words[lang] = sampleTexts(p, m, lang)
			}
			for key, word := range words[langs[i%3]] {
				if word == "" || words["zh"][key] == "" || words["es"][key] == "" || words["en"][key] == "" {
					t.Errorf("%d: %s has no words", industry, key)
				}
			}
			for key, word := range words["zh"] {
				if isCustomer(key) && (words["es"][key] != word || words["en"][key] != word) {
					t.Errorf("%d: %s is called %s, %s and %s", industry, key, word, words["es"][key], words["en"][key])
				}
			}
			for _, pair := range [][2]string{{"zh", "es"}, {"zh", "en"}, {"es", "en"}} {
				same := 0
				for key, word := range words[pair[0]] {
					if !isCustomer(key) && word == words[pair[1]][key] {
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

// isCustomer reports whether a key of sampleTexts names a customer or its contact.
func isCustomer(key string) bool {
	return strings.HasPrefix(key, "customer ") || strings.HasPrefix(key, "contact ")
}

// countPack returns the numbers of rows in a pack, in the format of onboardingtest.CountGoods.
func countPack(t *testing.T, industry int64) string {
	t.Helper()
	pack, ok := samples.Samples(industry)
	if !ok {
		t.Fatal("there is no pack")
	}
	return fmt.Sprintf("%d %d %d %d", len(pack.Categories), len(pack.Products), len(pack.Customers), len(pack.Orders))
}

// wantSampleOrders fails the test unless the orders of a company are those of its pack, and consistent.
func wantSampleOrders(p *portaltest.Platform, m store.Member, industry int64) {
	p.T.Helper()
	if got := onboardingtest.CountGoods(p, m.CompanyID); got != countPack(p.T, industry) {
		p.T.Errorf("%d: it holds %s", industry, got)
	}
	now := store.At(p.Clock.Now())
	list, err := p.Lists.Orders.Page(p.T.Context(), p.LandingFor(m), lists.Input{}, "zh")
	portaltest.NoError(p.T, err)
	states, later := map[store.OrderState]int{}, now
	for i, o := range list.Rows { // the newest first
		states[o.State]++
		if o.Number != int64(len(list.Rows)-i) || o.PlacedAt > later ||
			o.PlacedAt < now-store.Instant((60*24*time.Hour).Milliseconds()) {
			p.T.Errorf("%d: order %d of %d was placed at %v", industry, o.Number, len(list.Rows), o.PlacedAt.Time())
		}
		later = o.PlacedAt
		if confirmed := o.State == store.OrderConfirmed; confirmed != (o.ConfirmedAt != 0) || o.ConfirmedAt > now ||
			confirmed && o.ConfirmedAt < o.PlacedAt || o.ConfirmedBy != 0 || o.AccountID != 0 || o.Sample == "" {
			p.T.Errorf("%d: order %d is %+v", industry, o.Number, o)
		}
		detail, err := p.Shop.CompanyOrder(p.T.Context(), p.LandingFor(m), o.ID, "zh")
		portaltest.NoError(p.T, err)
		sum := int64(0)
		for _, l := range detail.Lines {
			sum += l.Quantity * l.Price
			if l.Quantity < 1 || l.Price < 1 || l.Sample == "" {
				p.T.Errorf("%d: a line is %+v", industry, l)
			}
		}
		if len(detail.Lines) == 0 || sum != o.Total || detail.PlacedBy != "" ||
			detail.ConfirmedBy != "" {
			p.T.Errorf(
				"%d: order %d of %d lines comes to %d, not %d", industry, o.Number, len(detail.Lines), sum, o.Total,
			)
		}
	}
	if len(list.Rows) < 6 || states[store.OrderNew] == 0 || states[store.OrderConfirmed] == 0 {
		p.T.Errorf("%d: %v", industry, states)
	}
}

// sampleTexts returns the texts of the sample rows of a company in a language, by kind and key. It fails the test if
// two pages show different texts.
func sampleTexts(p *portaltest.Platform, m store.Member, lang string) map[string]string {
	p.T.Helper()
	ctx, here, words := p.T.Context(), p.LandingFor(m), map[string]string{}
	catalogue, err := p.Shop.Catalogue(ctx, here, shop.CatalogueInput{}, lang)
	portaltest.NoError(p.T, err)
	for _, c := range catalogue.Groups {
		words["category "+c.Sample] = c.Name
		if _, ok := samples.SamplePicture(c.Picture); !ok {
			p.T.Errorf("there is no picture %s", c.Picture)
		}
		for _, k := range c.Products {
			words["product "+k.Sample], words["spec "+k.Sample], words["unit "+k.Sample] = k.Name, k.Spec, k.Unit
		}
	}
	customers, err := p.Lists.Customers.Page(ctx, here, lists.Input{}, lang)
	portaltest.NoError(p.T, err)
	for _, k := range customers.Rows {
		words["customer "+k.Sample], words["contact "+k.Sample] = k.Name, k.Contact
	}
	list, err := p.Lists.Orders.Page(ctx, here, lists.Input{}, lang)
	portaltest.NoError(p.T, err)
	for _, o := range list.Rows {
		if o.ClientName != words["customer "+o.ClientSample] {
			p.T.Errorf("order %d is of %s", o.Number, o.ClientName)
		}
		detail, err := p.Shop.CompanyOrder(ctx, here, o.ID, lang)
		portaltest.NoError(p.T, err)
		for _, l := range detail.Lines {
			if detail.ClientName != o.ClientName || detail.ClientContact != words["contact "+o.ClientSample] ||
				l.Name != words["product "+l.ProductSample] || l.Unit != words["unit "+l.ProductSample] ||
				l.Spec != words["spec "+l.ProductSample] {
				p.T.Errorf("a line of order %d is %+v", o.Number, l)
			}
		}
	}
	return words
}
