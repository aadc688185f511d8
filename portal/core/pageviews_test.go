package core_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/onboardingtest"
	"portico/store"
	"portico/store/pool"
	"portico/store/storetest"
)

func TestPageViewsAreCountedInMemoryAndStoredTogether(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 250 {
					p.Statistics.CountView("login", 1001, core.OnPhone)
				}
			})
		}
		p.Statistics.CountView("login", 0, core.OnDesktop)
		p.Statistics.CountView("shop", 1001, core.OnWorkChat)
		all.Wait()
		rows, err := p.DB.Views.OfCompany(t.Context(), 1001, 0)
		portaltest.NoError(t, err)
		if len(rows) > 0 {
			t.Errorf("written before its time: %v", rows)
		}
		if got := storedViews(p, 1001); !maps.Equal(got, map[string]int64{"login phone": 2000, "shop work-chat": 1}) {
			t.Errorf("%v", got)
		}
		if got := storedViews(p, 0); !maps.Equal(got, map[string]int64{"login desktop": 1}) {
			t.Errorf("of no company: %v", got)
		}
		if got := storedViews(p, 1001); got["login phone"] != 2000 {
			t.Errorf("written twice: %v", got)
		}
	})
}

func TestTheViewsOfAllInstancesAddUpAndStoppingStoresTheRest(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		other, err := portal.New(p.Options)
		portaltest.NoError(t, err)
		var both sync.WaitGroup
		for _, one := range []*portal.Portal{p.Portal, other} {
			both.Go(func() {
				for range 20 {
					for _, s := range core.Screens {
						one.Statistics.CountView(s, 1001, core.OnDesktop)
						one.Statistics.CountView(s, 1002, core.OnDesktop)
					}
					if err := one.Statistics.WriteViews(t.Context()); err != nil {
						t.Error(err)
					}
				}
				one.Statistics.CountView("login", 1001, core.OnDesktop)
				one.Stop(t.Context())
			})
		}
		both.Wait()
		got := storedViews(p, 1001)
		if len(got) != len(core.Screens) || got["login desktop"] != 42 || got["shop desktop"] != 40 {
			t.Errorf("%v", got)
		}
	})
}

func TestViewsThatCannotBeStoredAreStoredLater(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		p.Statistics.CountView("login", 1001, core.OnPhone)
		if p.Statistics.WriteViews(gone) == nil {
			t.Fatal("it was written")
		}
		p.Statistics.CountView("login", 1001, core.OnPhone)
		if got := storedViews(p, 1001)["login phone"]; got != 2 {
			t.Errorf("%d", got)
		}
	})
}

// A transaction with many rows would make all others wait.
func TestATransactionStoresTwoHundredCounters(t *testing.T) {
	for counters, want := range map[int]int64{200: 1, 201: 2} {
		p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
		var transactions atomic.Int64
		p.DB.Observe(pool.Observer{Done: func(kind pool.Kind, _ time.Duration) {
			if kind == pool.Transaction {
				transactions.Add(1)
			}
		}})
		p.Statistics.CountMany(counters)
		portaltest.NoError(t, p.Statistics.WriteViews(t.Context()))
		if got := transactions.Load(); got != want {
			t.Errorf("%d counters are stored in %d transactions, want %d", counters, got, want)
		}
	}
}

func TestPageViewsAreStoredEveryFiveSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan bool)
		go func() {
			p.Statistics.KeepWritingViews(ctx)
			close(ended)
		}()
		defer func() {
			stop()
			<-ended
		}()
		for round := range int64(2) {
			p.Statistics.CountView("login", 0, core.OnPhone)
			time.Sleep(5*time.Second - time.Millisecond)
			synctest.Wait()
			before, err := p.DB.Views.OfCompany(t.Context(), 0, 0)
			portaltest.NoError(t, err)
			time.Sleep(time.Millisecond)
			synctest.Wait()
			after, err := p.DB.Views.OfCompany(t.Context(), 0, 0)
			portaltest.NoError(t, err)
			if len(before) != int(round) || len(after) != 1 || after[0].Views != round+1 {
				t.Errorf("round %d: before %+v, after %+v", round, before, after)
			}
		}
	})
}

func TestTheCounterIsBoundedAndSkipsRemovedCompanies(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.Statistics.CountView("login", 999_999, core.OnPhone)
		if got := storedViews(p, 999_999); len(got) > 0 {
			t.Errorf("of a company that is not there: %v", got)
		}
		if held := p.Statistics.CountMany(100_000); held != 32_768 {
			t.Errorf("%d counters are in memory", held)
		}
	})
}

func TestViewsAreCountedByTheCompanysDayAndDeletedWhenOld(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		boss := p.Administrator()
		p.Clock.Ms.Store(time.Date(2026, 10, 1, 15, 59, 59, 0, time.UTC).UnixMilli()) // 23:59:59 there
		p.Statistics.CountView("login", 1001, core.OnPhone)
		p.Clock.Advance(time.Second)
		p.Statistics.CountView("login", 1001, core.OnPhone)
		p.Statistics.CountView("shop", 1001, core.OnApp)
		storedViews(p, 1001)
		v, err := p.Statistics.VisitsOf(t.Context(), boss, 7)
		portaltest.NoError(t, err)
		if len(v.Days) != 7 || v.Total != 3 || v.Days[5].Views != 1 || v.Days[6].Views != 2 ||
			v.Days[6].Day.Format(time.DateOnly) != "2026-10-02" {
			t.Errorf("%+v", v)
		}
		p.Clock.Advance(399 * 24 * time.Hour) // the older views are 400 days old
		portaltest.NoError(t, p.Sweep(t.Context()))
		if got := storedViews(p, 1001); !maps.Equal(got, map[string]int64{"login phone": 2, "shop app": 1}) {
			t.Errorf("forgotten early: %v", got)
		}
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if got := storedViews(p, 1001); !maps.Equal(got, map[string]int64{"login phone": 1, "shop app": 1}) {
			t.Errorf("after 401 days: %v", got)
		}
		p.Clock.Advance(24 * time.Hour)
		old := make([]store.PageViews, 1200)
		for i := range old {
			old[i] = store.PageViews{
				ViewKey: store.ViewKey{CompanyID: 1001, Day: store.Day(i), Page: "login", Device: "phone"}, Views: 1,
			}
		}
		portaltest.NoError(t, p.DB.Views.Add(t.Context(), old))
		p.Statistics.CountView("login", 1001, core.OnPhone)
		portaltest.NoError(t, p.Statistics.WriteViews(t.Context()))
		portaltest.NoError(t, p.Sweep(t.Context()))
		if got := storedViews(p, 1001); !maps.Equal(got, map[string]int64{"login phone": 1}) {
			t.Errorf("%v", got)
		}
	})
}

func TestVisitsShowTheOwnCompanyAndTheChosenDays(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for range 3 {
			p.Statistics.CountView("login", 1001, core.OnPhone)
		}
		p.Statistics.CountView("order", 1001, core.OnDesktop)
		p.Statistics.CountView("agreement", 1001, core.OnWeChat)
		p.Statistics.CountView("login", 1003, core.OnApp)
		p.Statistics.CountView("login", 0, core.OnApp)
		portaltest.NoError(t, countMenu(p, t.Context(), "", access.Place{}, "orders", core.OnPhone))
		portaltest.NoError(t, p.Statistics.WriteViews(t.Context()))
		v, err := p.Statistics.VisitsOf(t.Context(), p.Administrator(), 30)
		portaltest.NoError(t, err)
		if v.Total != 5 || len(v.Days) != 30 || v.Days[29].Views != 5 || len(v.Menu) != 0 {
			t.Errorf("%+v", v)
		}
		if len(v.Screens) != 3 || v.Screens[0] != (core.ScreenViews{Screen: "login", Views: 3}) ||
			v.Screens[1].Screen != "agreement" {
			t.Errorf("by page: %+v", v.Screens)
		}
		if len(v.Devices) != 3 || v.Devices[0] != (core.DeviceViews{On: core.OnPhone, Views: 3}) ||
			v.Devices[2].On != core.OnWeChat {
			t.Errorf("by device: %+v", v.Devices)
		}
		other, err := p.Statistics.VisitsOf(t.Context(), p.LandingFor(p.Account("northwind")), 30)
		portaltest.NoError(t, err)
		if other.Total != 1 || other.Devices[0].On != core.OnApp {
			t.Errorf("another company reads %+v", other)
		}
		for _, days := range []int{0, -1, 8, 365} {
			if _, err := p.Statistics.VisitsOf(t.Context(), p.Administrator(), days); !errors.Is(err, access.NotFound) {
				t.Errorf("%d days: %v", days, err)
			}
		}
		office, err := p.Overview.Office(t.Context(), p.Administrator())
		portaltest.NoError(t, err)
		if len(office.Visits) != core.VisitWeek || office.Visits[6].Views != 5 {
			t.Errorf("the week is %+v", office.Visits)
		}
		if office, err = p.Overview.Office(
			t.Context(), companytest.EmployeeWithRights(p, access.RightOrders),
		); err != nil ||
			office.Visits != nil {
			t.Errorf("an employee without the right sees %+v %v", office.Visits, err)
		}
	})
}

func TestMenuChoicesAreCountedSeparatelyForSignedInAccounts(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		destination := p.Enter(
			p.SignIn(portaltest.AccountHost, "jinsui"), portaltest.AccountHost, "jinsui", portaltest.Desktop,
		)
		landed, err := p.Redeem(destination, "")
		portaltest.NoError(t, err)
		token, place := landed.Token, p.Place("store1001.portico.test")
		ctx := p.From(portaltest.HomeAddress)
		for _, chosen := range []core.Screen{"orders", "orders", "settings"} {
			portaltest.NoError(t, countMenu(p, ctx, token, place, chosen, core.OnDesktop))
		}
		for _, unknown := range []core.Screen{
			"", "login", "order", "menu:orders", "x'; --", core.Screen(strings.Repeat("a", 4000)),
		} {
			portaltest.NoError(t, countMenu(p, ctx, token, place, unknown, core.OnDesktop))
		}
		if err := countMenu(p,
			ctx, token, place, "shop_orders", core.OnDesktop,
		); !errors.Is(err, access.LoginRequired) {
			t.Errorf("of a side that one is not signed in to: %v", err)
		}
		if err := countMenu(p, ctx, "", place, "orders", core.OnDesktop); !errors.Is(err, access.LoginRequired) {
			t.Errorf("of nobody: %v", err)
		}
		if got := storedViews(p, 1001); !maps.Equal(got, map[string]int64{
			"menu:orders desktop": 2, "menu:settings desktop": 1,
		}) {
			t.Errorf("%v", got)
		}
		v, err := p.Statistics.VisitsOf(t.Context(), p.Administrator(), 7)
		portaltest.NoError(t, err)
		if v.Total != 0 || len(v.Menu) != 2 || v.Menu[0] != (core.ScreenViews{Screen: "orders", Views: 2}) {
			t.Errorf("%+v", v)
		}
		office, err := p.Overview.Office(t.Context(), p.Administrator())
		portaltest.NoError(t, err)
		if office.Visits[6].Views != 0 {
			t.Errorf("the week counts choices: %+v", office.Visits)
		}
		p.Clock.Advance(time.Minute)
		for range 100 {
			portaltest.NoError(t, countMenu(p, ctx, token, place, "orders", core.OnDesktop))
		}
		if got := storedViews(p, 1001)["menu:orders desktop"] - 2; got != 60 {
			t.Errorf("%d are counted in a minute", got)
		}
		portaltest.NoError(t, countMenu(p, p.From("203.0.113.77"), token, place, "people", core.OnDesktop))
		p.Clock.Advance(time.Minute)
		portaltest.NoError(t, countMenu(p, ctx, token, place, "customers", core.OnDesktop))
		if got := storedViews(p, 1001); got["menu:people desktop"] != 1 || got["menu:customers desktop"] != 1 {
			t.Errorf("%v", got)
		}
	})
}

func TestRemovingASandboxDeletesItsViews(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		result, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		id := result.CompanyID
		p.Statistics.CountView("shop", id, core.OnPhone)
		if got := storedViews(p.Platform, id); len(got) != 1 {
			t.Fatalf("%v", got)
		}
		p.Statistics.CountView("shop", id, core.OnPhone)
		p.Clock.Advance(onboarding.SandboxLife)
		onboardingtest.RemoveSandboxes(p, 1)
		if got := storedViews(p.Platform, id); len(got) != 0 {
			t.Errorf("%v", got)
		}
	})
}

func TestTotalsNameNoCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.Statistics.CountView("login", 1001, core.OnPhone)
		p.Statistics.CountView("login", 1002, core.OnPhone)
		p.Statistics.CountView("login", 0, core.OnDesktop)
		storedViews(p, 0)
		all := p.Statistics.ViewTotals()
		if len(all) != 2*len(core.DeviceKinds) {
			t.Errorf("%d rows", len(all))
		}
		for _, total := range all {
			want := int64(0)
			if !total.Platform && total.On == core.OnPhone {
				want = 2
			}
			if total.Platform && total.On == core.OnDesktop {
				want = 1
			}
			if total.Views != want {
				t.Errorf("%+v, want %d", total, want)
			}
		}
	})
}

// countMenu counts the choice of a menu entry with the session of a cookie.
func countMenu(p *portaltest.Platform,
	ctx context.Context, cookie string, place access.Place, chosen core.Screen, on access.DeviceKind,
) error {
	return p.Portal.Landing.CountMenu(p.Sessions.LoadSession(ctx, cookie), place, chosen, on)
}

// storedViews returns the stored page views of a company, by page and kind of device.
func storedViews(p *portaltest.Platform, companyID int64) map[string]int64 {
	p.T.Helper()
	portaltest.NoError(p.T, p.Statistics.WriteViews(p.T.Context()))
	rows, err := p.DB.Views.OfCompany(p.T.Context(), companyID, 0)
	portaltest.NoError(p.T, err)
	all := map[string]int64{}
	for _, r := range rows {
		if r.Device != "" { // sign-ins have none
			all[r.Page+" "+r.Device] += r.Views
		}
	}
	return all
}
