package office_test

import (
	"testing"

	"portico/portal/lists"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/shop"
)

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

func TestACompanySeesOnlyItsOwnCustomers(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		companytest.AddCustomer(p, m.CompanyID)
		list, err := p.Lists.Customers.Page(t.Context(), p.LandingFor(m), lists.Input{}, "zh")
		if all := list.Rows; err != nil || len(all) != 1 || all[0].Name != "Casa Pepa" ||
			all[0].CompanyID != m.CompanyID || list.Counts[0].Count != 1 || list.Next != "" {
			t.Errorf("%+v, %v", list, err)
		}
	})
}
