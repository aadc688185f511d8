package portal_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// filled is a company with the samples of an industry.
func (p *platform) filled(industry int64) store.Member {
	p.t.Helper()
	m := p.founded("zh")
	_, err := p.initialise(sessionOf(m), industry, true)
	noError(p.t, err)
	return m
}

func (p *platform) clear(m store.Member) store.SampleCounts {
	p.t.Helper()
	n, err := p.ClearSamples(p.from(homeAddress), p.at(m))
	noError(p.t, err)
	return n
}

func TestEveryPackClearsToNothingAndTouchesNobodyElse(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		kinds := []string{"attempts", "repeats", "audit_events", "companies", "phones", "accounts"}
		neighbour := p.filled(seafood)
		for _, industry := range portal.Industries() {
			before := p.counted(kinds...)
			m := p.filled(industry)
			pack, _ := portal.Samples(industry)
			want := store.SampleCounts{Categories: len(pack.Categories), Products: len(pack.Products), Clients: len(pack.Customers), Orders: len(pack.Orders)}
			shown, err := p.Samples(t.Context(), p.at(m), "en")
			if err != nil || shown.Clears != want || shown.Kept() || shown.Empty() {
				t.Errorf("%d: %+v, %v", industry, shown, err)
			}
			if n := p.clear(m); n != want {
				t.Errorf("%d: cleared %+v, want %+v", industry, n, want)
			}
			if after := p.counted(kinds...); after != before || p.goods(m.CompanyID) != "0 0 0 0" {
				t.Errorf("%d: left %s of %s", industry, after, before)
			}
			rows := p.counted()
			if n := p.clear(m); n != (store.SampleCounts{}) || p.counted() != rows {
				t.Errorf("%d: cleared again: %+v", industry, n)
			}
			if shown, err = p.Samples(t.Context(), p.at(m), "en"); err != nil || !shown.Empty() || p.events(m.CompanyID, "samples_cleared") != 1 {
				t.Errorf("%d: %+v, %v", industry, shown, err)
			}
			if c := p.company(m.CompanyID); c.InitialisedAt == 0 || c.IndustryID != industry {
				t.Errorf("%d: %+v", industry, c)
			}
		}
		if p.goods(neighbour.CompanyID) != packed(t, seafood) {
			t.Errorf("the neighbour holds %s", p.goods(neighbour.CompanyID))
		}
	})
}

func TestOnlyAnAdministratorSeesAndClearsTheSamples(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		before := p.rows()
		for login, want := range map[string]portal.Refusal{"li.manager": portal.Forbidden, "buyer1": portal.NotFound, "li.shop": portal.NotFound} {
			_, err := p.ClearSamples(t.Context(), p.at(p.account(login)))
			refused(t, err, want)
			shown, err := p.Samples(t.Context(), p.at(p.account(login)), "zh")
			refused(t, err, want)
			if !shown.Empty() {
				t.Errorf("%s is shown %+v", login, shown)
			}
		}
		if p.rows() != before {
			t.Error("something was written")
		}
	})
}

func TestWhatIsInUseIsListedAndKept(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		ctx, m := t.Context(), p.filled(groceries)
		products, err := p.db.Products(ctx, m.CompanyID)
		noError(t, err)
		clients, err := p.db.ClientsAfter(ctx, m.CompanyID, 0, 1000)
		noError(t, err)
		categories, err := p.db.Categories(ctx, m.CompanyID)
		noError(t, err)
		ordered, last := products[0], categories[len(categories)-1]
		shop := p.customerOf(m.CompanyID)
		real, err := p.order(p.at(shop), ordered.ID, "2", "")
		noError(t, err)
		_, err = p.db.AddAccount(ctx, store.Account{CompanyID: m.CompanyID, Side: store.Shop, Type: store.TypeShop, Login: "of.a.sample", ClientID: clients[1].ID, State: store.AccountActive})
		noError(t, err)
		own, err := p.db.AddProduct(ctx, store.Product{CompanyID: m.CompanyID, CategoryID: last.ID, Name: "Propio", Unit: "kg", Price: 5, Stock: 9})
		noError(t, err)

		shown, err := p.Samples(ctx, p.at(m), "en")
		noError(t, err)
		pack, _ := portal.Samples(groceries)
		want := store.SampleCounts{Categories: len(pack.Categories) - 2, Products: len(pack.Products) - 1, Clients: len(pack.Customers) - 1, Orders: len(pack.Orders)}
		if shown.Clears != want || !shown.Kept() || len(shown.Products) != 1 || shown.Products[0].ID != ordered.ID || len(shown.Clients) != 1 || shown.Clients[0].ID != clients[1].ID ||
			len(shown.Categories) != 2 || shown.Categories[0].ID != ordered.CategoryID || shown.Categories[1].ID != last.ID {
			t.Errorf("shown %+v, want %+v", shown, want)
		}
		if shown.Products[0].Name != pack.Products[0].Name.EN || shown.Clients[0].Name != pack.Customers[1].Name.EN || shown.Categories[0].Name != pack.Categories[0].Name.EN {
			t.Errorf("not in the reader's language: %+v", shown)
		}
		if n := p.clear(m); n != want {
			t.Errorf("cleared %+v, want %+v", n, want)
		}
		if got := p.goods(m.CompanyID); got != "2 2 2 1" {
			t.Errorf("it holds %s", got)
		}
		detail, err := p.CompanyOrder(ctx, p.at(m), real.ID, "en")
		if err != nil || len(detail.Lines) != 1 || detail.Lines[0].Name != pack.Products[0].Name.EN || detail.Total != 2*ordered.Price {
			t.Errorf("the real order is %+v, %v", detail, err)
		}
		left, err := p.db.Products(ctx, m.CompanyID)
		noError(t, err)
		if !slices.ContainsFunc(left, func(k store.Product) bool { return k.ID == own && k.Name == "Propio" }) {
			t.Error("the own product is gone")
		}
		if n := p.clear(m); n != (store.SampleCounts{}) {
			t.Errorf("cleared again: %+v", n)
		}
	})
}

func TestASampleOrderThatWasConfirmedIsNoRealOne(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.filled(seafood)
		list, err := p.CompanyOrders(t.Context(), p.at(m), 0, "zh")
		noError(t, err)
		for _, o := range list.Orders {
			noError(t, p.ConfirmOrder(t.Context(), p.at(m), o.ID))
		}
		p.clear(m)
		if got := p.goods(m.CompanyID); got != "0 0 0 0" {
			t.Errorf("it holds %s", got)
		}
	})
}

func TestOrdersGoOnCountingOnceTheSamplesAreCleared(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.filled(seafood)
		shop := p.customerOf(m.CompanyID)
		k := p.product(m.CompanyID)
		first, err := p.order(p.at(shop), k.ID, "1", "")
		noError(t, err)
		p.clear(m)
		second, err := p.order(p.at(shop), k.ID, "1", "")
		if err != nil || second.Number != first.Number+1 {
			t.Errorf("%d, then %d, %v", first.Number, second.Number, err)
		}
	})
}

func TestAnOrderPlacedWhileTheSamplesAreClearedKeepsItsGoods(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.filled(seafood)
		shop, k := p.customerOf(m.CompanyID), p.product(m.CompanyID)
		cleared := make(chan error, 1)
		err := p.db.Tx(t.Context(), func(tx *store.DB) error { // as PlaceOrder writes it, slowly
			number, err := tx.NextOrderNumber(t.Context(), m.CompanyID)
			noError(t, err)
			noError(t, tx.TakeStock(t.Context(), m.CompanyID, k.ID, 1))
			id, err := tx.AddOrder(t.Context(), store.Order{CompanyID: m.CompanyID, Number: number, ClientID: shop.ClientID, AccountID: shop.ID, Form: "f", State: store.OrderNew, Total: k.Price, PlacedAt: 1})
			noError(t, err)
			noError(t, tx.AddOrderLine(t.Context(), store.OrderLine{OrderID: id, Line: 1, ProductID: k.ID, Quantity: 1, Price: k.Price}))
			go func() {
				_, err := p.ClearSamples(p.from(homeAddress), portal.Landing{Member: m})
				cleared <- err
			}()
			time.Sleep(150 * time.Millisecond) // until it waits
			return nil
		})
		noError(t, err)
		if err := <-cleared; err != nil {
			t.Errorf("clearing: %v", err)
		}
		if got := p.goods(m.CompanyID); got != "1 1 1 1" {
			t.Errorf("it holds %s", got)
		}
	})
}

func TestClearingIsWrittenDownWithoutTheGoods(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.filled(seafood)
		p.clear(m)
		all, err := p.db.AuditEvents(t.Context(), m.CompanyID, 10)
		noError(t, err)
		i := slices.IndexFunc(all, func(e store.AuditEvent) bool { return e.Kind == "samples_cleared" })
		if i < 0 || all[i].AccountID != m.ID || all[i].Address != homeAddress || strings.Contains(all[i].Detail, "鱼") {
			t.Errorf("%+v", all)
		}
	})
}
