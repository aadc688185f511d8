package shop_test

import (
	"sync/atomic"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/shop"
	"portico/store"
)

func TestAnOrderIsConfirmedOnceByTheFirstEmployee(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o, err := companytest.PlaceOrder(
			p, p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001).ID, "1", shop.NewForm(),
		)
		portaltest.NoError(t, err)
		first, second := p.Land("jinsui", portaltest.PhoneScreen), p.Land("li.manager", portaltest.PhoneScreen)
		portaltest.NoError(t, p.Shop.ConfirmOrder(p.From(portaltest.HomeAddress), first, o.ID))
		when := store.At(p.Clock.Now())
		p.Clock.Advance(time.Minute)
		portaltest.NoError(t, p.Shop.ConfirmOrder(p.From(portaltest.HomeAddress), second, o.ID))
		detail, err := p.Shop.CompanyOrder(t.Context(), second, o.ID, "zh")
		if err != nil || detail.State != store.OrderConfirmed || detail.ConfirmedAt != when ||
			detail.Order.ConfirmedBy != first.Member.ID || detail.ConfirmedBy != first.Member.Name {
			t.Errorf("%+v, %v", detail, err)
		}
		if n := p.CountEvents(1001, "order_confirmed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
	})
}

func TestOnlyOneOfManyConcurrentConfirmationsOfAnOrderCounts(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		o, err := companytest.PlaceOrder(
			p, p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001).ID, "1", shop.NewForm(),
		)
		portaltest.NoError(t, err)
		offices := []access.Landing{
			p.Land("jinsui", portaltest.PhoneScreen), p.Land("li.manager", portaltest.PhoneScreen),
		}
		var failed atomic.Int32
		portaltest.Together(10, func(i int) {
			if err := p.Shop.ConfirmOrder(p.From(portaltest.HomeAddress), offices[i%2], o.ID); err != nil {
				failed.Add(1)
			}
		})
		if n := p.CountEvents(1001, "order_confirmed"); failed.Load() != 0 || n != 1 {
			t.Errorf("%d failed, %d audit events", failed.Load(), n)
		}
	})
}

func TestAnotherCompanysOrderIsNotFound(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o, err := companytest.PlaceOrder(
			p, p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001).ID, "1", shop.NewForm(),
		)
		portaltest.NoError(t, err)
		before := p.DumpRows()
		for _, here := range []access.Landing{
			p.LandingFor(p.Account("sur")), p.LandingFor(p.Account("trial")), p.LandingFor(p.Account("buyer1")),
		} {
			portaltest.Refused(t, p.Shop.ConfirmOrder(t.Context(), here, o.ID), access.NotFound)
		}
		_, err = p.Shop.CompanyOrder(t.Context(), p.LandingFor(p.Account("sur")), o.ID, "zh")
		portaltest.Refused(t, err, access.NotFound)
		for _, id := range []int64{0, -1, 1 << 40} {
			portaltest.Refused(
				t, p.Shop.ConfirmOrder(t.Context(), p.LandingFor(p.Account("jinsui")), id), access.NotFound,
			)
			_, err = p.Shop.CompanyOrder(t.Context(), p.LandingFor(p.Account("jinsui")), id, "zh")
			portaltest.Refused(t, err, access.NotFound)
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
	})
}
