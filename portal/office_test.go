package portal_test

import (
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

func TestAnOrderIsConfirmedOnceAndWhoWasFirstCounts(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		o, err := p.order(p.landed("buyer1", phoneScreen), p.product(1001).ID, "1", portal.NewForm())
		noError(t, err)
		first, second := p.landed("jinsui", phoneScreen), p.landed("li.manager", phoneScreen)
		noError(t, p.ConfirmOrder(p.from(homeAddress), first, o.ID))
		when := store.At(p.clock.now())
		p.clock.advance(time.Minute)
		noError(t, p.ConfirmOrder(p.from(homeAddress), second, o.ID))
		detail, err := p.CompanyOrder(t.Context(), second, o.ID, "zh")
		if err != nil || detail.State != store.OrderConfirmed || detail.ConfirmedAt != when || detail.Order.ConfirmedBy != first.Member.ID || detail.ConfirmedBy != first.Member.Name {
			t.Errorf("%+v, %v", detail, err)
		}
		if n := p.events(1001, "order_confirmed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
	})
}

func TestOfManyWhoConfirmAtOnceOneDoes(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		o, err := p.order(p.landed("buyer1", phoneScreen), p.product(1001).ID, "1", portal.NewForm())
		noError(t, err)
		offices := []portal.Landing{p.landed("jinsui", phoneScreen), p.landed("li.manager", phoneScreen)}
		var failed atomic.Int32
		together(10, func(i int) {
			if err := p.ConfirmOrder(p.from(homeAddress), offices[i%2], o.ID); err != nil {
				failed.Add(1)
			}
		})
		if n := p.events(1001, "order_confirmed"); failed.Load() != 0 || n != 1 {
			t.Errorf("%d failed, %d audit events", failed.Load(), n)
		}
	})
}

func TestAnotherCompanysOrderIsNotFound(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		o, err := p.order(p.landed("buyer1", phoneScreen), p.product(1001).ID, "1", portal.NewForm())
		noError(t, err)
		before := p.rows()
		for _, here := range []portal.Landing{p.at(p.account("sur")), p.at(p.account("trial")), p.at(p.account("buyer1"))} {
			refused(t, p.ConfirmOrder(t.Context(), here, o.ID), portal.NotFound)
		}
		_, err = p.CompanyOrder(t.Context(), p.at(p.account("sur")), o.ID, "zh")
		refused(t, err, portal.NotFound)
		for _, id := range []int64{0, -1, 1 << 40} {
			refused(t, p.ConfirmOrder(t.Context(), p.at(p.account("jinsui")), id), portal.NotFound)
			_, err = p.CompanyOrder(t.Context(), p.at(p.account("jinsui")), id, "zh")
			refused(t, err, portal.NotFound)
		}
		if p.rows() != before {
			t.Error("something was written")
		}
	})
}

func TestTheOfficeShowsWhatWaits(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.founded("zh")
		office, err := p.Office(t.Context(), p.at(m), "zh")
		if err != nil || office.NewOrders != 0 || len(office.Latest) != 0 || office.Customers != 0 || office.Samples != 0 {
			t.Errorf("an empty one shows %+v, %v", office, err)
		}
		_, err = p.initialise(sessionOf(m), seafood, true)
		noError(t, err)
		pack, _ := portal.Samples(seafood)
		waiting := 0
		for _, o := range pack.Orders {
			if o.State == string(store.OrderNew) {
				waiting++
			}
		}
		shop := p.customerOf(m.CompanyID)
		o, err := p.order(p.at(shop), p.product(m.CompanyID).ID, "1", "")
		noError(t, err)
		office, err = p.Office(t.Context(), p.at(m), "en")
		if samples := len(pack.Categories) + len(pack.Products) + len(pack.Customers) + len(pack.Orders); err != nil || office.NewOrders != waiting+1 || office.Customers != len(pack.Customers)+1 || office.Samples != samples {
			t.Errorf("%d wait, %d customers, %d samples, %v", office.NewOrders, office.Customers, office.Samples, err)
		}
		if len(office.Latest) != 5 || office.Latest[0].ID != o.ID || office.Latest[0].ClientName != "Casa Pepa" || office.Latest[4].Number != o.Number-4 {
			t.Errorf("the latest are %+v", office.Latest)
		}
		noError(t, p.ConfirmOrder(t.Context(), p.at(m), o.ID))
		if office, err = p.Office(t.Context(), p.at(m), "en"); err != nil || office.NewOrders != waiting {
			t.Errorf("%d wait, %v", office.NewOrders, err)
		}
	})
}

func TestACompanySeesItsOwnCustomersAlone(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.founded("zh")
		p.customerOf(m.CompanyID)
		list, err := p.Customers(t.Context(), p.at(m), 0, "zh")
		if all := list.Customers; err != nil || len(all) != 1 || all[0].Name != "Casa Pepa" || all[0].CompanyID != m.CompanyID || list.Count != 1 || list.More != 0 {
			t.Errorf("%+v, %v", list, err)
		}
	})
}
