package onboarding_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/lists"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/samples"
	"portico/store"
)

func TestClearingSamplesRemovesAllOfThemAndNothingElse(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		kinds := []string{"attempts", "repeats", "audit_events", "companies", "phones", "accounts"}
		neighbour := addSampleCompany(p, onboardingtest.Seafood)
		for _, industry := range samples.Industries() {
			before := p.CountRows(kinds...)
			m := addSampleCompany(p, industry)
			pack, _ := samples.Samples(industry)
			want := store.SampleCounts{
				Categories: len(pack.Categories), Products: len(pack.Products), Clients: len(pack.Customers),
				Orders: len(pack.Orders),
			}
			shown, err := p.Onboarding.Samples(t.Context(), p.LandingFor(m), "en")
			if err != nil || shown.Clears != want || shown.Kept() || shown.Empty() {
				t.Errorf("%d: %+v, %v", industry, shown, err)
			}
			if n := clearSamples(p, m); n != want {
				t.Errorf("%d: cleared %+v, want %+v", industry, n, want)
			}
			if after := p.CountRows(
				kinds...); after != before ||
				onboardingtest.CountGoods(p, m.CompanyID) != "0 0 0 0" {
				t.Errorf("%d: left %s of %s", industry, after, before)
			}
			rows := p.CountRows()
			if n := clearSamples(p, m); n != (store.SampleCounts{}) || p.CountRows() != rows {
				t.Errorf("%d: cleared again: %+v", industry, n)
			}
			if shown, err = p.Onboarding.Samples(t.Context(), p.LandingFor(m), "en"); err != nil || !shown.Empty() ||
				p.CountEvents(m.CompanyID, "samples_cleared") != 1 {
				t.Errorf("%d: %+v, %v", industry, shown, err)
			}
			if c := p.Company(m.CompanyID); c.InitialisedAt == 0 || c.IndustryID != industry {
				t.Errorf("%d: %+v", industry, c)
			}
		}
		if onboardingtest.CountGoods(p, neighbour.CompanyID) != countPack(t, onboardingtest.Seafood) {
			t.Errorf("the neighbour holds %s", onboardingtest.CountGoods(p, neighbour.CompanyID))
		}
	})
}

func TestOnlyAnAdministratorSeesAndClearsTheSamples(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		before := p.DumpRows()
		for login, want := range map[string]access.Refusal{
			"li.manager": access.Forbidden, "buyer1": access.NotFound, "li.shop": access.NotFound,
		} {
			_, err := p.Onboarding.ClearSamples(t.Context(), p.LandingFor(p.Account(login)))
			portaltest.Refused(t, err, want)
			shown, err := p.Onboarding.Samples(t.Context(), p.LandingFor(p.Account(login)), "zh")
			portaltest.Refused(t, err, want)
			if !shown.Empty() {
				t.Errorf("%s is shown %+v", login, shown)
			}
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
	})
}

func TestSamplesInUseAreListedAndKept(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		ctx, m := t.Context(), addSampleCompany(p, onboardingtest.Groceries)
		products, err := p.DB.Catalogue.Products(ctx, m.CompanyID)
		portaltest.NoError(t, err)
		clients, err := p.DB.Clients.After(ctx, m.CompanyID, 0, 1000)
		portaltest.NoError(t, err)
		categories, err := p.DB.Catalogue.Categories(ctx, m.CompanyID)
		portaltest.NoError(t, err)
		ordered, last := products[0], categories[len(categories)-1]
		shop := companytest.AddCustomer(p, m.CompanyID)
		real, err := companytest.PlaceOrder(p, p.LandingFor(shop), ordered.ID, "2", "")
		portaltest.NoError(t, err)
		_, err = p.DB.Accounts.Add(ctx, store.Account{
			CompanyID: m.CompanyID, Side: store.Shop, Type: store.TypeShop, Login: "of.a.sample",
			ClientID: clients[1].ID, State: store.AccountActive,
		})
		portaltest.NoError(t, err)
		own, err := p.DB.Catalogue.AddProduct(ctx, store.Product{
			CompanyID: m.CompanyID, CategoryID: last.ID, Name: "Propio", Unit: "kg", Price: 5, Stock: 9,
		})
		portaltest.NoError(t, err)

		shown, err := p.Onboarding.Samples(ctx, p.LandingFor(m), "en")
		portaltest.NoError(t, err)
		pack, _ := samples.Samples(onboardingtest.Groceries)
		want := store.SampleCounts{
			Categories: len(pack.Categories) - 2, Products: len(pack.Products) - 1, Clients: len(pack.Customers) - 1,
			Orders: len(pack.Orders),
		}
		if shown.Clears != want || !shown.Kept() || len(shown.Products) != 1 || shown.Products[0].ID != ordered.ID ||
			len(shown.Clients) != 1 || shown.Clients[0].ID != clients[1].ID ||
			len(shown.Categories) != 2 || shown.Categories[0].ID != ordered.CategoryID ||
			shown.Categories[1].ID != last.ID {
			t.Errorf("shown %+v, want %+v", shown, want)
		}
		if shown.Products[0].Name != pack.Products[0].Name.EN || shown.Clients[0].Name != pack.Customers[1].Name.ZH ||
			shown.Categories[0].Name != pack.Categories[0].Name.EN {
			t.Errorf("products are not in the reader's language, or a customer is not as stored: %+v", shown)
		}
		if n := clearSamples(p, m); n != want {
			t.Errorf("cleared %+v, want %+v", n, want)
		}
		if got := onboardingtest.CountGoods(p, m.CompanyID); got != "2 2 2 1" {
			t.Errorf("it holds %s", got)
		}
		detail, err := p.Shop.CompanyOrder(ctx, p.LandingFor(m), real.ID, "en")
		if err != nil || len(detail.Lines) != 1 || detail.Lines[0].Name != pack.Products[0].Name.EN ||
			detail.Total != 2*ordered.Price {
			t.Errorf("the real order is %+v, %v", detail, err)
		}
		left, err := p.DB.Catalogue.Products(ctx, m.CompanyID)
		portaltest.NoError(t, err)
		if !slices.ContainsFunc(left, func(k store.Product) bool { return k.ID == own && k.Name == "Propio" }) {
			t.Error("the own product is gone")
		}
		if n := clearSamples(p, m); n != (store.SampleCounts{}) {
			t.Errorf("cleared again: %+v", n)
		}
	})
}

func TestAConfirmedSampleOrderIsStillASample(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := addSampleCompany(p, onboardingtest.Seafood)
		list, err := p.Lists.Orders.Page(t.Context(), p.LandingFor(m), lists.Input{}, "zh")
		portaltest.NoError(t, err)
		for _, o := range list.Rows {
			portaltest.NoError(t, p.Shop.ConfirmOrder(t.Context(), p.LandingFor(m), o.ID))
		}
		clearSamples(p, m)
		if got := onboardingtest.CountGoods(p, m.CompanyID); got != "0 0 0 0" {
			t.Errorf("it holds %s", got)
		}
	})
}

func TestOrderNumbersContinueAfterClearingTheSamples(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := addSampleCompany(p, onboardingtest.Seafood)
		shop := companytest.AddCustomer(p, m.CompanyID)
		k := companytest.FirstProduct(p, m.CompanyID)
		first, err := companytest.PlaceOrder(p, p.LandingFor(shop), k.ID, "1", "")
		portaltest.NoError(t, err)
		clearSamples(p, m)
		second, err := companytest.PlaceOrder(p, p.LandingFor(shop), k.ID, "1", "")
		if err != nil || second.Number != first.Number+1 {
			t.Errorf("%d, then %d, %v", first.Number, second.Number, err)
		}
	})
}

func TestAnOrderPlacedWhileTheSamplesAreClearedKeepsItsGoods(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := addSampleCompany(p, onboardingtest.Seafood)
		shop, k := companytest.AddCustomer(p, m.CompanyID), companytest.FirstProduct(p, m.CompanyID)
		cleared := make(chan error, 1)
		err := p.DB.Tx(t.Context(), func(tx *store.DB) error { // as PlaceOrder writes it, slowly
			number, err := tx.Orders.NextNumber(t.Context(), m.CompanyID)
			portaltest.NoError(t, err)
			portaltest.NoError(t, tx.Products.TakeStock(t.Context(), m.CompanyID, k.ID, 1))
			id, err := tx.Orders.Add(t.Context(), store.Order{
				CompanyID: m.CompanyID, Number: number, ClientID: shop.ClientID, AccountID: shop.ID, Form: "f",
				State: store.OrderNew, Total: k.Price, PlacedAt: 1,
			})
			portaltest.NoError(t, err)
			portaltest.NoError(
				t,
				tx.Orders.AddLine(t.Context(), store.OrderLine{
					OrderID: id, Line: 1, ProductID: k.ID, Quantity: 1, Price: k.Price,
				}),
			)
			go func() {
				_, err := p.Onboarding.ClearSamples(p.From(portaltest.HomeAddress), access.Landing{Member: m})
				cleared <- err
			}()
			time.Sleep(150 * time.Millisecond) // until it waits
			return nil
		})
		portaltest.NoError(t, err)
		if err := <-cleared; err != nil {
			t.Errorf("clearing: %v", err)
		}
		if got := onboardingtest.CountGoods(p, m.CompanyID); got != "1 1 1 1" {
			t.Errorf("it holds %s", got)
		}
	})
}

func TestClearingSamplesIsLoggedWithoutTheGoods(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := addSampleCompany(p, onboardingtest.Seafood)
		clearSamples(p, m)
		all, err := p.DB.Audit.Events(t.Context(), m.CompanyID, 10)
		portaltest.NoError(t, err)
		i := slices.IndexFunc(all, func(e store.AuditEvent) bool { return e.Kind == "samples_cleared" })
		if i < 0 || all[i].AccountID != m.ID || all[i].Address != portaltest.HomeAddress ||
			strings.Contains(all[i].Detail, "鱼") {
			t.Errorf("%+v", all)
		}
	})
}

// addSampleCompany adds a company with the samples of an industry and returns its administrator.
func addSampleCompany(p *portaltest.Platform, industry int64) store.Member {
	p.T.Helper()
	m := companytest.AddCompany(p, "zh")
	_, err := onboardingtest.Initialise(p, companytest.SessionOf(m), industry, true)
	portaltest.NoError(p.T, err)
	return m
}

// clearSamples clears a company's samples.
func clearSamples(p *portaltest.Platform, m store.Member) store.SampleCounts {
	p.T.Helper()
	n, err := p.Onboarding.ClearSamples(p.From(portaltest.HomeAddress), p.LandingFor(m))
	portaltest.NoError(p.T, err)
	return n
}
