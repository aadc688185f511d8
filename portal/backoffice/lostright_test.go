package backoffice_test

import (
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/store"
)

func TestAnAccountDisabledAMomentAgoWritesNothing(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		deeds, boss := p.Writing(p.Deeds()), p.Boss()
		employee := p.EmployeeWith(access.RightOrders)
		p.SetAccountState("jinsui", store.AccountDisabled)
		p.EmployeeWith()
		without := []string{"attempts", "uploads"} // what was sent in and is not used is removed later
		before := p.Rows(without...)
		for _, d := range deeds {
			t.Run(d.Name, func(t *testing.T) {
				portaltest.Refused(t, d.Do(p.From(portaltest.HomeAddress), boss), access.AccountDisabled)
				if d.Right == access.RightOrders {
					portaltest.Refused(t, d.Do(p.From(portaltest.HomeAddress), employee), access.Forbidden)
				}
				if p.Rows(without...) != before {
					t.Error("something was written")
				}
			})
		}
	})
}
