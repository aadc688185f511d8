package office_test

import (
	"fmt"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/samples"
	"portico/store"
	"portico/store/storetest"
)

// addOrder stores a confirmed order of a shop account's customer that was placed at a moment.
func addOrder(p *portaltest.Platform, of store.Member, number, total int64, at time.Time) {
	p.T.Helper()
	companyID := of.CompanyID
	_, err := p.DB.Orders.Add(p.T.Context(), store.Order{
		CompanyID: companyID, Number: number, ClientID: of.ClientID,
		Form:  "form" + access.Decimal(companyID*1000+number),
		State: store.OrderConfirmed, Total: total, PlacedAt: store.At(at), ConfirmedAt: store.At(at),
	})
	portaltest.NoError(p.T, err)
}

func TestTodayIsComparedWithYesterdayUpToTheSameTimeOfTheCompanysDay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m, other := companytest.AddCompany(p, "zh"), companytest.AddCompany(p, "zh")
		customer, foreign := companytest.AddCustomer(p, m.CompanyID), companytest.AddCustomer(p, other.CompanyID)
		now := time.Date(2026, 10, 20, 15, 0, 0, 0, access.CompanyDay)
		p.Clock.Advance(now.Sub(p.Clock.Now()))
		midnight := now.Add(-15 * time.Hour)
		for i, o := range []struct {
			at    time.Time
			total int64
		}{
			{midnight, 100}, {now, 200}, // today
			{midnight.Add(-time.Millisecond), 1000}, {now.Add(-access.Day), 2000}, {midnight.Add(-access.Day), 3000},
			{midnight.Add(-13 * access.Day), 7}, // the first day that is shown
			{midnight.Add(-13*access.Day - time.Millisecond), 9},
		} {
			addOrder(p, customer, int64(i+1), o.total, o.at)
		}
		addOrder(p, foreign, 1, 50, now)
		office, err := p.Overview.Office(t.Context(), p.LandingFor(m))
		portaltest.NoError(t, err)
		s := office.Sales
		if d := s.Today(); len(s.Days) != 14 || d.Orders != 2 || d.Total != 300 {
			t.Errorf("today has %+v of %d days", d, len(s.Days))
		}
		if d := s.Yesterday(); d.Orders != 3 || d.Total != 6000 {
			t.Errorf("yesterday has %+v", d)
		}
		if s.Earlier.Orders != 2 || s.Earlier.Total != 5000 {
			t.Errorf("yesterday by this time has %+v", s.Earlier)
		}
		if d := s.Days[0]; d.Orders != 1 || d.Total != 7 || d.Day.Format(time.DateOnly) != "2026-10-07" {
			t.Errorf("the first day has %+v", d)
		}
	})
}

func TestApplicationsAreCountedByTheWeekInWhichTheyWereSent(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		now := time.Date(2026, 10, 21, 15, 0, 0, 0, access.CompanyDay) // a Wednesday
		p.Clock.Advance(now.Sub(p.Clock.Now()))
		monday := time.Date(2026, 10, 19, 0, 0, 0, 0, access.CompanyDay)
		for i, a := range []struct {
			sent time.Time
			wait time.Duration // 0 before the decision
		}{
			{now, 0}, {monday, 2 * time.Hour}, {monday, 4 * time.Hour},
			{monday.Add(-time.Millisecond), time.Hour},
			{monday.Add(-7 * 7 * access.Day), 0}, {monday.Add(-7*7*access.Day - time.Millisecond), 0},
		} {
			application := store.Application{
				ID: 900000 + int64(i), CompanyID: m.CompanyID, Phone: access.Decimal(15000000000 + int64(i)),
				State: store.ApplicationPending, CreatedAt: store.At(a.sent),
			}
			if a.wait != 0 {
				application.State, application.DecidedAt = store.ApplicationRejected, store.At(a.sent.Add(a.wait))
			}
			_, err := p.DB.Applications.Add(t.Context(), application)
			portaltest.NoError(t, err)
		}
		office, err := p.Overview.Office(t.Context(), p.LandingFor(m))
		portaltest.NoError(t, err)
		if len(office.Weeks) != 8 {
			t.Fatalf("%d weeks", len(office.Weeks))
		}
		this, last := office.Weeks[7], office.Weeks[6]
		if this.Applications != 3 || this.Decided != 2 || this.Wait != 3*time.Hour ||
			this.Begins.Format(time.DateOnly) != "2026-10-19" {
			t.Errorf("this week has %+v", this)
		}
		if last.Applications != 1 || last.Wait != time.Hour || office.Weeks[0].Applications != 1 {
			t.Errorf("the weeks before have %+v", office.Weeks)
		}
	})
}

func TestWeeksThatAThousandApplicationsDoNotCoverAreLeftOut(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		now := time.Date(2026, 10, 21, 15, 0, 0, 0, access.CompanyDay)
		p.Clock.Advance(now.Sub(p.Clock.Now()))
		add := func(n int, sent time.Time) {
			t.Helper()
			storetest.Exec(t, p.DB, fmt.Sprintf(`INSERT INTO applications
				(company_id, phone, state, company_name, contact_name, created_at)
				WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				SELECT %d, '15000000000', 'rejected', 'Casa Pepa', 'Pepa', %d FROM n`, n, m.CompanyID, store.At(sent)))
		}
		weeks := func() []office.Week {
			t.Helper()
			office, err := p.Overview.Office(t.Context(), p.LandingFor(m))
			portaltest.NoError(t, err)
			return office.Weeks
		}
		add(1, now.Add(-7*access.Day))
		add(998, now)
		if w := weeks(); len(w) != 8 || w[6].Applications != 1 || w[7].Applications != 998 {
			t.Errorf("of 999 applications: %+v", w)
		}
		add(1, now)
		if w := weeks(); len(w) != 1 || w[0].Applications != 999 {
			t.Errorf("of 1000 applications: %+v", w)
		}
	})
}

func TestAnEmployeeWithoutARightSeesNoFigureOfIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		offered := p.Account("former")
		storetest.Exec(t, p.DB, `INSERT INTO orders (company_id, number, client_id, account_id, form, state, total,
			placed_at, confirmed_at, confirmed_by)
			SELECT 1001, 9000, id, 0, 'x', 'new', 100, 1, 0, 0 FROM clients WHERE company_id = 1001 LIMIT 1`)
		storetest.Exec(t, p.DB, fmt.Sprintf("UPDATE accounts SET invited = TRUE WHERE id = %d", offered.ID))
		for _, right := range []access.Right{
			access.RightOrders, access.RightCustomers, access.RightApplications, access.RightPeople, access.RightAudit,
		} {
			here := companytest.EmployeeWithRights(p, right)
			o, err := p.Overview.Office(t.Context(), here)
			portaltest.NoError(t, err)
			isOrders := right == access.RightOrders
			if (o.Sales != nil) != isOrders || (o.Latest != nil) != isOrders || (o.NewOrders > 0) != isOrders ||
				(o.Samples.New > 0) != isOrders || (o.Samples.Customers > 0) != (right == access.RightCustomers) {
				t.Errorf("%s: orders %+v", right, o)
			}
			if (o.Weeks != nil) != (right == access.RightApplications) ||
				(o.Customers > 0) != (right == access.RightCustomers) ||
				(o.Offered > 0) != (right == access.RightPeople) || (o.Visits != nil) != (right == access.RightAudit) {
				t.Errorf("%s: %+v", right, o)
			}
			w, err := p.Overview.Waiting(t.Context(), here)
			portaltest.NoError(t, err)
			if (w.Orders > 0) != isOrders || w.Applications != 0 {
				t.Errorf("%s: %+v wait", right, w)
			}
		}
	})
}

func TestTheBackOfficeShowsPendingWork(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		office, err := p.Overview.Office(t.Context(), p.LandingFor(m))
		if err != nil || office.NewOrders != 0 || len(office.Latest) != 0 || office.Customers != 0 ||
			office.Sales.Today().Orders != 0 {
			t.Errorf("an empty one shows %+v, %v", office, err)
		}
		_, err = onboardingtest.Initialise(p, companytest.SessionOf(m), onboardingtest.Seafood, true)
		portaltest.NoError(t, err)
		pack, _ := samples.Samples(onboardingtest.Seafood)
		waiting := 0
		for _, o := range pack.Orders {
			if o.State == string(store.OrderNew) {
				waiting++
			}
		}
		shop := companytest.AddCustomer(p, m.CompanyID)
		o, err := companytest.PlaceOrder(p, p.LandingFor(shop), companytest.FirstProduct(p, m.CompanyID).ID, "1", "")
		portaltest.NoError(t, err)
		office, err = p.Overview.Office(t.Context(), p.LandingFor(m))
		if err != nil || office.NewOrders != 1 || office.Customers != len(pack.Customers)+1 {
			t.Errorf("%d wait, %d customers, %v", office.NewOrders, office.Customers, err)
		}
		today := office.Sales.Today()
		if s := office.Samples; s.New != waiting || s.Customers != len(pack.Customers) ||
			s.Orders != len(pack.Orders) || s.Today != today.Orders-1 || s.Total != today.Total-o.Total {
			t.Errorf("of %+v, these are samples: %+v", today, s)
		}
		if len(office.Latest) != 5 || office.Latest[0].ID != o.ID || office.Latest[0].ClientName != "Casa Pepa" ||
			office.Latest[4].Number != o.Number-4 {
			t.Errorf("the latest are %+v", office.Latest)
		}
		portaltest.NoError(t, p.Shop.ConfirmOrder(t.Context(), p.LandingFor(m), o.ID))
		if office, err = p.Overview.Office(t.Context(), p.LandingFor(m)); err != nil ||
			office.NewOrders != 0 {
			t.Errorf("%d wait, %v", office.NewOrders, err)
		}
	})
}
