package office_test

import (
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/store"
)

func TestAnAccountDisabledAMomentAgoWritesNothing(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		operations, boss := writingOperations(p, companytest.Operations(p.Platform)), p.Administrator()
		employee := companytest.EmployeeWithRights(p.Platform, access.RightOrders)
		p.SetAccountState("jinsui", store.AccountDisabled)
		companytest.EmployeeWithRights(p.Platform)
		without := []string{"attempts", "uploads"} // what was sent in and is not used is removed later
		before := p.DumpRows(without...)
		for _, d := range operations {
			t.Run(d.Name, func(t *testing.T) {
				portaltest.Refused(t, d.Do(p.From(portaltest.HomeAddress), boss), access.AccountDisabled)
				if d.Right == access.RightOrders {
					portaltest.Refused(t, d.Do(p.From(portaltest.HomeAddress), employee), access.Forbidden)
				}
				if p.DumpRows(without...) != before {
					t.Error("something was written")
				}
			})
		}
	})
}
