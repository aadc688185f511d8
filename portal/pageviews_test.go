package portal_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// viewed is what is written down of a company, by page and kind of device.
func (p *platform) viewed(companyID int64) map[string]int64 {
	p.t.Helper()
	noError(p.t, p.WriteViews(p.t.Context()))
	rows, err := p.db.Views(p.t.Context(), companyID, 0)
	noError(p.t, err)
	all := map[string]int64{}
	for _, r := range rows {
		all[r.Page+" "+r.Device] += r.Views
	}
	return all
}

func TestPageViewsAreCountedInMemoryAndWrittenDownTogether(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 250 {
					p.CountView("login", 1001, portal.OnPhone)
				}
			})
		}
		p.CountView("login", 0, portal.OnDesktop)
		p.CountView("shop", 1001, portal.OnWorkChat)
		all.Wait()
		rows, err := p.db.Views(t.Context(), 1001, 0)
		noError(t, err)
		if len(rows) > 0 {
			t.Errorf("written before its time: %v", rows)
		}
		if got := p.viewed(1001); !maps.Equal(got, map[string]int64{"login phone": 2000, "shop work-chat": 1}) {
			t.Errorf("%v", got)
		}
		if got := p.viewed(0); !maps.Equal(got, map[string]int64{"login desktop": 1}) {
			t.Errorf("of no company: %v", got)
		}
		if got := p.viewed(1001); got["login phone"] != 2000 {
			t.Errorf("written twice: %v", got)
		}
	})
}

func TestInstancesAddUpAndStoppingWritesTheRest(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		other, err := portal.New(p.options)
		noError(t, err)
		var both sync.WaitGroup
		for _, one := range []*portal.Portal{p.Portal, other} {
			both.Go(func() {
				for range 20 {
					for _, s := range portal.Screens {
						one.CountView(s, 1001, portal.OnDesktop)
						one.CountView(s, 1002, portal.OnDesktop)
					}
					if err := one.WriteViews(t.Context()); err != nil {
						t.Error(err)
					}
				}
				one.CountView("login", 1001, portal.OnDesktop)
				one.Stop(t.Context())
			})
		}
		both.Wait()
		got := p.viewed(1001)
		if len(got) != len(portal.Screens) || got["login desktop"] != 42 || got["shop desktop"] != 40 {
			t.Errorf("%v", got)
		}
	})
}

func TestWhatCannotBeWrittenWaits(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		p.CountView("login", 1001, portal.OnPhone)
		if p.WriteViews(gone) == nil {
			t.Fatal("it was written")
		}
		p.CountView("login", 1001, portal.OnPhone)
		if got := p.viewed(1001)["login phone"]; got != 2 {
			t.Errorf("%d", got)
		}
	})
}

func TestTheCounterIsBoundedAndLeavesOutCompaniesThatAreGone(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.CountView("login", 999_999, portal.OnPhone)
		if got := p.viewed(999_999); len(got) > 0 {
			t.Errorf("of a company that is not there: %v", got)
		}
		held := p.CountMany(100_000)
		if held > 40_000 {
			t.Errorf("%d keys are held", held)
		}
	})
}

func TestADayIsTheCompaniesAndOldOnesAreForgotten(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		boss := p.boss()
		p.clock.ms.Store(time.Date(2026, 10, 1, 15, 59, 59, 0, time.UTC).UnixMilli()) // 23:59:59 there
		p.CountView("login", 1001, portal.OnPhone)
		p.clock.advance(time.Second)
		p.CountView("login", 1001, portal.OnPhone)
		p.CountView("shop", 1001, portal.OnApp)
		p.viewed(1001)
		v, err := p.VisitsOf(t.Context(), boss, 7)
		noError(t, err)
		if len(v.Days) != 7 || v.Total != 3 || v.Days[5].Views != 1 || v.Days[6].Views != 2 || v.Days[6].Day.Format(time.DateOnly) != "2026-10-02" {
			t.Errorf("%+v", v)
		}
		p.clock.advance((portal.ViewsKept - 1) * 24 * time.Hour)
		noError(t, p.Sweep(t.Context()))
		if got := p.viewed(1001); len(got) != 2 {
			t.Errorf("forgotten early: %v", got)
		}
		p.clock.advance(48 * time.Hour)
		old := make([]store.PageViews, 1200)
		for i := range old {
			old[i] = store.PageViews{ViewKey: store.ViewKey{CompanyID: 1001, Day: store.Day(i), Page: "login", Device: "phone"}, Views: 1}
		}
		noError(t, p.db.AddViews(t.Context(), old))
		p.CountView("login", 1001, portal.OnPhone)
		noError(t, p.WriteViews(t.Context()))
		noError(t, p.Sweep(t.Context()))
		if got := p.viewed(1001); !maps.Equal(got, map[string]int64{"login phone": 1}) {
			t.Errorf("%v", got)
		}
	})
}

func TestVisitsAreOfOnesOwnCompanyAndSpan(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for range 3 {
			p.CountView("login", 1001, portal.OnPhone)
		}
		p.CountView("order", 1001, portal.OnDesktop)
		p.CountView("agreement", 1001, portal.OnWeChat)
		p.CountView("login", 1003, portal.OnApp)
		p.CountView("login", 0, portal.OnApp)
		noError(t, p.CountMenu(t.Context(), "", portal.Place{}, "orders", portal.OnPhone))
		noError(t, p.WriteViews(t.Context()))
		v, err := p.VisitsOf(t.Context(), p.boss(), 30)
		noError(t, err)
		if v.Total != 5 || len(v.Days) != 30 || v.Days[29].Views != 5 || len(v.Menu) != 0 {
			t.Errorf("%+v", v)
		}
		if len(v.Screens) != 3 || v.Screens[0] != (portal.ScreenViews{Screen: "login", Views: 3}) || v.Screens[1].Screen != "agreement" {
			t.Errorf("by page: %+v", v.Screens)
		}
		if len(v.Devices) != 3 || v.Devices[0] != (portal.DeviceViews{On: portal.OnPhone, Views: 3}) || v.Devices[2].On != portal.OnWeChat {
			t.Errorf("by device: %+v", v.Devices)
		}
		other, err := p.VisitsOf(t.Context(), p.at(p.account("northwind")), 30)
		noError(t, err)
		if other.Total != 1 || other.Devices[0].On != portal.OnApp {
			t.Errorf("another company reads %+v", other)
		}
		for _, days := range []int{0, -1, 8, 365} {
			if _, err := p.VisitsOf(t.Context(), p.boss(), days); !errors.Is(err, portal.NotFound) {
				t.Errorf("%d days: %v", days, err)
			}
		}
		office, err := p.Office(t.Context(), p.boss(), "zh")
		noError(t, err)
		if len(office.Visits) != portal.VisitWeek || office.Visits[6].Views != 5 {
			t.Errorf("the week is %+v", office.Visits)
		}
		if office, err = p.Office(t.Context(), p.employeeWith(portal.RightOrders), "zh"); err != nil || office.Visits != nil {
			t.Errorf("an employee without the right sees %+v %v", office.Visits, err)
		}
	})
}

func TestChoicesInAMenuCountApartAndForWhoIsSignedInThere(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		destination := p.enter(p.signIn(accountHost, "jinsui"), accountHost, "jinsui", desktop)
		landed, err := p.redeem(destination, "")
		noError(t, err)
		token, place := landed.Token, p.place("store1001.portico.test")
		ctx := p.from(homeAddress)
		for _, chosen := range []portal.Screen{"orders", "orders", "settings"} {
			noError(t, p.CountMenu(ctx, token, place, chosen, portal.OnDesktop))
		}
		for _, unknown := range []portal.Screen{"", "login", "order", "menu:orders", "x'; --", portal.Screen(strings.Repeat("a", 4000))} {
			noError(t, p.CountMenu(ctx, token, place, unknown, portal.OnDesktop))
		}
		if err := p.CountMenu(ctx, token, place, "shop_orders", portal.OnDesktop); !errors.Is(err, portal.LoginRequired) {
			t.Errorf("of a side that one is not signed in to: %v", err)
		}
		if err := p.CountMenu(ctx, "", place, "orders", portal.OnDesktop); !errors.Is(err, portal.LoginRequired) {
			t.Errorf("of nobody: %v", err)
		}
		if got := p.viewed(1001); !maps.Equal(got, map[string]int64{"menu:orders desktop": 2, "menu:settings desktop": 1}) {
			t.Errorf("%v", got)
		}
		v, err := p.VisitsOf(t.Context(), p.boss(), 7)
		noError(t, err)
		if v.Total != 0 || len(v.Menu) != 2 || v.Menu[0] != (portal.ScreenViews{Screen: "orders", Views: 2}) {
			t.Errorf("%+v", v)
		}
		office, err := p.Office(t.Context(), p.boss(), "zh")
		noError(t, err)
		if office.Visits[6].Views != 0 {
			t.Errorf("the week counts choices: %+v", office.Visits)
		}
		for range 2 * portal.MaxMenuChoices {
			_ = p.CountMenu(ctx, token, place, "orders", portal.OnDesktop)
		}
		if got := p.viewed(1001)["menu:orders desktop"]; got < portal.MaxMenuChoices-10 || got > portal.MaxMenuChoices {
			t.Errorf("%d are counted in a minute", got)
		}
		noError(t, p.CountMenu(p.from("203.0.113.77"), token, place, "people", portal.OnDesktop))
		p.clock.advance(time.Minute)
		noError(t, p.CountMenu(ctx, token, place, "customers", portal.OnDesktop))
		if got := p.viewed(1001); got["menu:people desktop"] != 1 || got["menu:customers desktop"] != 1 {
			t.Errorf("%v", got)
		}
	})
}

func TestViewsGoWithASandbox(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		result, _ := p.tried(newPhone, seafood)
		id := result.CompanyID
		p.CountView("shop", id, portal.OnPhone)
		if got := p.viewed(id); len(got) != 1 {
			t.Fatalf("%v", got)
		}
		p.CountView("shop", id, portal.OnPhone)
		p.clock.advance(portal.SandboxLife)
		p.sweeps(1)
		if got := p.viewed(id); len(got) != 0 {
			t.Errorf("%v", got)
		}
	})
}

func TestTotalsNameNoCompany(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.CountView("login", 1001, portal.OnPhone)
		p.CountView("login", 1002, portal.OnPhone)
		p.CountView("login", 0, portal.OnDesktop)
		p.viewed(0)
		all := p.ViewTotals()
		if len(all) != 2*len(portal.DeviceKinds) {
			t.Errorf("%d rows", len(all))
		}
		for _, total := range all {
			want := int64(0)
			if !total.Platform && total.On == portal.OnPhone {
				want = 2
			}
			if total.Platform && total.On == portal.OnDesktop {
				want = 1
			}
			if total.Views != want {
				t.Errorf("%+v, want %d", total, want)
			}
		}
	})
}
