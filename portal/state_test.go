package portal_test

import (
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// reason is one thing that keeps a shop account out; the list is in the contract's order (section 5).
type reason struct {
	name  string
	apply func(*store.Member)
	want  portal.Refusal
}

var reasons = []reason{
	{"offered", func(m *store.Member) { m.Invited = true }, portal.Offered},
	{"company disabled", func(m *store.Member) { m.Company.Disabled = true }, portal.CompanyDisabled},
	{"term over", func(m *store.Member) { m.Company.EndsAt = store.At(demoStart) }, portal.CompanyExpired},
	{"account disabled", func(m *store.Member) { m.State = store.AccountDisabled }, portal.AccountDisabled},
	{"no lighting edition", func(m *store.Member) { m.Company.Lighting = false }, portal.LightingNotEnabled},
	{"client ended", func(m *store.Member) { m.ClientState = store.ClientEnded }, portal.PartnerEnded},
	{"mall disabled", func(m *store.Member) { m.Company.Mall = store.MallDisabled }, portal.ShopDisabled},
}

// openMember may be entered, in the lighting edition too.
func openMember(side store.Side) store.Member {
	m := store.Member{ClientState: store.ClientPartner, Company: store.Company{
		ID: 1, Standing: store.Formal, EndsAt: store.At(demoStart.Add(time.Hour)), Mall: store.MallOpen, Lighting: true,
	}}
	m.Side, m.State = side, store.AccountActive
	return m
}

func TestOfAllReasonsAtOnceTheFirstInTheContractsOrderIsTold(t *testing.T) {
	for set := range 1 << len(reasons) {
		m, want, names := openMember(store.Shop), portal.Refusal(""), ""
		for i, r := range reasons {
			if set&(1<<i) == 0 {
				continue
			}
			r.apply(&m)
			names += r.name + ", "
			if want == "" {
				want = r.want
			}
		}
		if got := portal.BlockedBy(m, true, demoStart); got != want {
			t.Errorf("%s: told %q, want %q", names, got, want)
		}
	}
}

func TestWhatBlocksAnAccount(t *testing.T) {
	for _, c := range []struct {
		name     string
		side     store.Side
		lighting bool
		change   func(*store.Member)
		want     portal.Refusal
	}{
		{"nothing, shop", store.Shop, true, func(*store.Member) {}, ""},
		{"nothing, back office", store.Mgr, true, func(*store.Member) {}, ""},
		{"a formal term that ends this very moment", store.Mgr, false, func(m *store.Member) { m.Company.EndsAt = store.At(demoStart) }, portal.CompanyExpired},
		{"a formal term with a millisecond left", store.Mgr, false, func(m *store.Member) { m.Company.EndsAt = store.At(demoStart) + 1 }, ""},
		{"a trial that is over", store.Mgr, false, func(m *store.Member) { m.Company.Standing, m.Company.EndsAt = store.Trial, store.At(demoStart)-1 }, portal.TrialEnded},
		{"a trial that is over, of a shop account that is disabled", store.Shop, false, func(m *store.Member) {
			m.Company.Standing, m.Company.EndsAt, m.State = store.Trial, store.At(demoStart)-1, store.AccountDisabled
		}, portal.TrialEnded},
		{"a trial that is over, of a disabled company", store.Shop, false, func(m *store.Member) {
			m.Company.Standing, m.Company.EndsAt, m.Company.Disabled = store.Trial, 1, true
		}, portal.CompanyDisabled},
		{"a term without end", store.Mgr, false, func(m *store.Member) { m.Company.EndsAt = 0 }, ""},
		{"review", store.Shop, false, func(m *store.Member) { m.State = store.AccountUnderReview }, portal.UnderReview},
		{"review of a manager", store.Mgr, false, func(m *store.Member) { m.State = store.AccountUnderReview }, portal.UnderReview},
		{"review before the edition", store.Shop, true, func(m *store.Member) { m.State, m.Company.Lighting = store.AccountUnderReview, false }, portal.UnderReview},
		{"the edition when it is not asked for", store.Shop, false, func(m *store.Member) { m.Company.Lighting = false }, ""},
		{"the edition for a manager", store.Mgr, true, func(m *store.Member) { m.Company.Lighting = false }, portal.LightingNotEnabled},
		{"the edition before the partnership", store.Shop, true, func(m *store.Member) { m.Company.Lighting, m.ClientState = false, store.ClientEnded }, portal.LightingNotEnabled},
		{"the partnership before the mall", store.Shop, false, func(m *store.Member) { m.ClientState, m.Company.Mall = store.ClientEnded, store.MallNotOpen }, portal.PartnerEnded},
		{"a mall that is not open", store.Shop, false, func(m *store.Member) { m.Company.Mall = store.MallNotOpen }, portal.MallNotOpen},
		{"a mall that is not open, for a manager", store.Mgr, false, func(m *store.Member) { m.Company.Mall = store.MallNotOpen }, ""},
		{"a mall that is disabled, for a manager", store.Mgr, false, func(m *store.Member) { m.Company.Mall = store.MallDisabled }, ""},
		{"an ended client, for a manager", store.Mgr, false, func(m *store.Member) { m.ClientState = store.ClientEnded }, ""},
		{"no client at all", store.Shop, false, func(m *store.Member) { m.ClientState = "" }, ""},
	} {
		m := openMember(c.side)
		c.change(&m)
		if got := portal.BlockedBy(m, c.lighting, demoStart); got != c.want {
			t.Errorf("%s: told %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWhereAllAccountsAreBlockedTheFirstReasonOfTheOrderIsTold(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	many := p.as("13800000003") // li.manager and li.shop in 1001, sur in 1002, li.lights in 1003
	for _, step := range []struct {
		name   string
		change func()
		want   portal.Refusal
	}{
		{"malls not open, managers under review", func() {
			p.updateCompany(1001, func(c *store.Company) { c.Mall = store.MallNotOpen })
			p.updateCompany(1003, func(c *store.Company) { c.Mall = store.MallNotOpen })
			p.setAccountState("li.manager", store.AccountUnderReview)
			p.setAccountState("sur", store.AccountUnderReview)
		}, portal.UnderReview},
		{"one account disabled", func() { p.setAccountState("li.lights", store.AccountDisabled) }, portal.AccountDisabled},
		{"one trial over", func() {
			p.updateCompany(1002, func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, store.At(p.clock.now()) })
		}, portal.TrialEnded},
		{"one term over", func() { p.updateCompany(1003, func(c *store.Company) { c.EndsAt = store.At(p.clock.now()) }) }, portal.CompanyExpired},
		{"one company disabled", func() { p.updateCompany(1001, func(c *store.Company) { c.Disabled = true }) }, portal.CompanyDisabled},
	} {
		step.change()
		_, err := p.login(many)
		if with := refused(t, err, step.want); with.Company == nil || len(with.Contacts) == 0 {
			t.Errorf("%s: company %v, contacts %v", step.name, with.Company, with.Contacts)
		}
	}
	p.updateCompany(1001, func(c *store.Company) { c.Disabled = false })
	p.setAccountState("li.manager", store.AccountActive)
	if step := p.signIn(accountHost, "13800000003").Step; step.Kind != portal.StepEnter || step.AccountID != p.account("li.manager").ID {
		t.Errorf("with one account open again the step is %+v", step)
	}
}

func TestDaysLeftOfATrialCountThePresentOne(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		standing store.Standing
		left     time.Duration
		want     int
	}{
		{store.Trial, 12 * day, 12}, {store.Trial, 12*day + time.Millisecond, 13}, {store.Trial, day, 1}, {store.Trial, time.Millisecond, 1},
		{store.Trial, 0, 0}, {store.Trial, -day, 0}, {store.Formal, 12 * day, 0},
	} {
		company := store.Company{Standing: c.standing, EndsAt: store.At(demoStart.Add(c.left))}
		if got := portal.TrialDaysLeft(company, demoStart); got != c.want {
			t.Errorf("%s with %v left: %d days, want %d", c.standing, c.left, got, c.want)
		}
	}
	if got := portal.TrialDaysLeft(store.Company{Standing: store.Trial}, demoStart); got != 0 {
		t.Errorf("a trial without end has %d days left", got)
	}
}

func TestSupportIsNobodyUntilItIsConfigured(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	if got := p.Support(portal.Place{}); len(got) != 1 || got[0].Phone != "13700000500" {
		t.Errorf("support %v", got)
	}
	p.restart(func(o *portal.Options) { o.Support = portal.Contact{Role: portal.RoleSupport, Name: "nobody"} })
	if got := p.Support(portal.Place{}); got != nil {
		t.Errorf("support without a number: %v", got)
	}
}
