package office_test

import (
	"sync/atomic"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/lists"
	"portico/portal/office"
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
		portaltest.NoError(t, p.Backoffice.ConfirmOrder(p.From(portaltest.HomeAddress), first, o.ID))
		when := store.At(p.Clock.Now())
		p.Clock.Advance(time.Minute)
		portaltest.NoError(t, p.Backoffice.ConfirmOrder(p.From(portaltest.HomeAddress), second, o.ID))
		detail, err := p.Backoffice.CompanyOrder(t.Context(), second, o.ID, "zh")
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
			if err := p.Backoffice.ConfirmOrder(p.From(portaltest.HomeAddress), offices[i%2], o.ID); err != nil {
				failed.Add(1)
			}
		})
		if n := p.CountEvents(1001, "order_confirmed"); failed.Load() != 0 || n != 1 {
			t.Errorf("%d failed, %d audit events", failed.Load(), n)
		}
	})
}

func TestTheOrdersOfACustomerAreCountedAndSummed(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		buyer, staff := p.Land("buyer1", portaltest.PhoneScreen), p.Land("jinsui", portaltest.PhoneScreen)
		of := func(clientID int64) office.CustomerOrders {
			got, err := p.Backoffice.Customer(t.Context(), staff, clientID)
			portaltest.NoError(t, err)
			return got.Orders
		}
		before, other := of(buyer.Member.ClientID), of(2002)
		o, err := companytest.PlaceOrder(p, buyer, companytest.FirstProduct(p, 1001).ID, "2", shop.NewForm())
		portaltest.NoError(t, err)
		got := of(buyer.Member.ClientID)
		if got.Count != before.Count+1 || got.Total != before.Total+o.Total || got.Latest[0].ID != o.ID {
			t.Errorf("%+v after %+v", got, before)
		}
		if again := of(2002); again.Count != other.Count {
			t.Errorf("another customer has %d orders, had %d", again.Count, other.Count)
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
			portaltest.Refused(t, p.Backoffice.ConfirmOrder(t.Context(), here, o.ID), access.NotFound)
		}
		_, err = p.Backoffice.CompanyOrder(t.Context(), p.LandingFor(p.Account("sur")), o.ID, "zh")
		portaltest.Refused(t, err, access.NotFound)
		for _, id := range []int64{0, -1, 1 << 40} {
			portaltest.Refused(
				t, p.Backoffice.ConfirmOrder(t.Context(), p.LandingFor(p.Account("jinsui")), id), access.NotFound,
			)
			_, err = p.Backoffice.CompanyOrder(t.Context(), p.LandingFor(p.Account("jinsui")), id, "zh")
			portaltest.Refused(t, err, access.NotFound)
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
	})
}

func TestACompanySeesOnlyItsOwnCustomers(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		companytest.AddCustomer(p, m.CompanyID)
		list, err := p.Lists.Customers(t.Context(), p.LandingFor(m), lists.Input{}, "zh")
		if all := list.Rows; err != nil || len(all) != 1 || all[0].Name != "Casa Pepa" ||
			all[0].CompanyID != m.CompanyID || list.Counts[0].Count != 1 || list.Next != "" {
			t.Errorf("%+v, %v", list, err)
		}
	})
}
