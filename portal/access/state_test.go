package access_test

import (
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

// Reason is one reason that blocks a shop account.
type Reason struct {
	Name  string
	Apply func(*store.Member)
	Want  access.Refusal
}

// Reasons are in the order in which BlockedBy checks them.
var Reasons = []Reason{
	{"offered", func(m *store.Member) { m.Invited = true }, access.Offered},
	{"company disabled", func(m *store.Member) { m.Company.Disabled = true }, access.CompanyDisabled},
	{"term over", func(m *store.Member) { m.Company.EndsAt = store.At(portaltest.DemoStart) }, access.CompanyExpired},
	{"account disabled", func(m *store.Member) { m.State = store.AccountDisabled }, access.AccountDisabled},
	{"no lighting edition", func(m *store.Member) { m.Company.Lighting = false }, access.LightingNotEnabled},
	{"client ended", func(m *store.Member) { m.ClientState = store.ClientEnded }, access.PartnerEnded},
	{"mall disabled", func(m *store.Member) { m.Company.Mall = store.MallDisabled }, access.ShopDisabled},
}

// UnblockedMember returns an account of a side that nothing blocks, in the lighting edition too.
func UnblockedMember(side store.Side) store.Member {
	m := store.Member{ClientState: store.ClientPartner, Company: store.Company{
		ID: 1, Standing: store.Formal, EndsAt: store.At(portaltest.DemoStart.Add(time.Hour)), Mall: store.MallOpen,
		Lighting: true,
	}}
	m.Side, m.State = side, store.AccountActive
	return m
}

func TestOfSeveralReasonsTheFirstInTheFixedOrderBlocksAnAccount(t *testing.T) {
	for set := range 1 << len(Reasons) {
		m, want, names := UnblockedMember(store.Shop), access.Refusal(""), ""
		for i, r := range Reasons {
			if set&(1<<i) == 0 {
				continue
			}
			r.Apply(&m)
			names += r.Name + ", "
			if want == "" {
				want = r.Want
			}
		}
		if got := access.BlockedBy(m, true, portaltest.DemoStart); got != want {
			t.Errorf("%s: got %q, want %q", names, got, want)
		}
	}
}

func TestEachReasonBlocksAnAccount(t *testing.T) {
	for _, c := range []struct {
		name     string
		side     store.Side
		lighting bool
		change   func(*store.Member)
		want     access.Refusal
	}{
		{"nothing, shop", store.Shop, true, func(*store.Member) {}, ""},
		{"nothing, back office", store.Mgr, true, func(*store.Member) {}, ""},
		{
			"a formal term that ends this very moment", store.Mgr, false,
			func(m *store.Member) { m.Company.EndsAt = store.At(portaltest.DemoStart) }, access.CompanyExpired,
		},
		{
			"a formal term with a millisecond left", store.Mgr, false,
			func(m *store.Member) { m.Company.EndsAt = store.At(portaltest.DemoStart) + 1 }, "",
		},
		{"a trial that is over", store.Mgr, false, func(m *store.Member) {
			m.Company.Standing, m.Company.EndsAt = store.Trial, store.At(portaltest.DemoStart)-1
		}, access.TrialEnded},
		{"a trial that is over, of a shop account that is disabled", store.Shop, false, func(m *store.Member) {
			m.Company.Standing, m.Company.EndsAt, m.State = store.Trial, store.At(portaltest.DemoStart)-1,
				store.AccountDisabled
		}, access.TrialEnded},
		{"a trial that is over, of a disabled company", store.Shop, false, func(m *store.Member) {
			m.Company.Standing, m.Company.EndsAt, m.Company.Disabled = store.Trial, 1, true
		}, access.CompanyDisabled},
		{"a term without end", store.Mgr, false, func(m *store.Member) { m.Company.EndsAt = 0 }, ""},
		{"review", store.Shop, false, func(m *store.Member) { m.State = store.AccountUnderReview }, access.UnderReview},
		{
			"review of a manager", store.Mgr, false, func(m *store.Member) { m.State = store.AccountUnderReview },
			access.UnderReview,
		},
		{
			"review before the edition", store.Shop, true,
			func(m *store.Member) { m.State, m.Company.Lighting = store.AccountUnderReview, false }, access.UnderReview,
		},
		{
			"the edition when it is not asked for", store.Shop, false,
			func(m *store.Member) { m.Company.Lighting = false }, "",
		},
		{
			"the edition for a manager", store.Mgr, true, func(m *store.Member) { m.Company.Lighting = false },
			access.LightingNotEnabled,
		},
		{
			"the edition before the partnership", store.Shop, true,
			func(m *store.Member) { m.Company.Lighting, m.ClientState = false, store.ClientEnded },
			access.LightingNotEnabled,
		},
		{
			"the partnership before the mall", store.Shop, false,
			func(m *store.Member) { m.ClientState, m.Company.Mall = store.ClientEnded, store.MallNotOpen },
			access.PartnerEnded,
		},
		{
			"a mall that is not open", store.Shop, false, func(m *store.Member) { m.Company.Mall = store.MallNotOpen },
			access.MallNotOpen,
		},
		{
			"a mall that is not open, for a manager", store.Mgr, false,
			func(m *store.Member) { m.Company.Mall = store.MallNotOpen }, "",
		},
		{
			"a mall that is disabled, for a manager", store.Mgr, false,
			func(m *store.Member) { m.Company.Mall = store.MallDisabled }, "",
		},
		{
			"an ended client, for a manager", store.Mgr, false,
			func(m *store.Member) { m.ClientState = store.ClientEnded }, "",
		},
		{"no client at all", store.Shop, false, func(m *store.Member) { m.ClientState = "" }, ""},
	} {
		m := UnblockedMember(c.side)
		c.change(&m)
		if got := access.BlockedBy(m, c.lighting, portaltest.DemoStart); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOfSeveralBlockedAccountsTheFirstReasonInTheFixedOrderIsReturned(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	many := p.LoginInput("13800000003") // li.manager and li.shop in 1001, sur in 1002, li.lights in 1003
	for _, step := range []struct {
		name   string
		change func()
		want   access.Refusal
	}{
		{"malls not open, managers under review", func() {
			p.UpdateCompany(1001, func(c *store.Company) { c.Mall = store.MallNotOpen })
			p.UpdateCompany(1003, func(c *store.Company) { c.Mall = store.MallNotOpen })
			p.SetAccountState("li.manager", store.AccountUnderReview)
			p.SetAccountState("sur", store.AccountUnderReview)
		}, access.UnderReview},
		{
			"one account disabled", func() { p.SetAccountState("li.lights", store.AccountDisabled) },
			access.AccountDisabled,
		},
		{"one trial over", func() {
			p.UpdateCompany(1002, func(c *store.Company) {
				c.Standing, c.EndsAt = store.Trial, store.At(p.Clock.Now())
			})
		}, access.TrialEnded},
		{
			"one term over",
			func() { p.UpdateCompany(1003, func(c *store.Company) { c.EndsAt = store.At(p.Clock.Now()) }) },
			access.CompanyExpired,
		},
		{
			"one company disabled", func() { p.UpdateCompany(1001, func(c *store.Company) { c.Disabled = true }) },
			access.CompanyDisabled,
		},
	} {
		step.change()
		_, err := p.Login(many)
		if with := portaltest.Refused(t, err, step.want); with.Company == nil || len(with.Contacts) == 0 {
			t.Errorf("%s: company %v, contacts %v", step.name, with.Company, with.Contacts)
		}
	}
	p.UpdateCompany(1001, func(c *store.Company) { c.Disabled = false })
	p.SetAccountState("li.manager", store.AccountActive)
	if step := p.SignIn(portaltest.AccountHost, "13800000003").Step; step.Kind != signin.StepEnter ||
		step.AccountID != p.Account("li.manager").ID {
		t.Errorf("with one account open again the step is %+v", step)
	}
}

func TestDaysLeftOfATrialIncludeToday(t *testing.T) {
	const day = 24 * time.Hour
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	for _, c := range []struct {
		standing store.Standing
		left     time.Duration
		want     int
	}{
		{store.Trial, 12 * day, 12}, {store.Trial, 12*day + time.Millisecond, 13}, {store.Trial, day, 1},
		{store.Trial, time.Millisecond, 1},
		{store.Trial, 0, 0}, {store.Trial, -day, 0}, {store.Formal, 12 * day, 0},
	} {
		company := store.Company{Standing: c.standing, EndsAt: store.At(portaltest.DemoStart.Add(c.left))}
		if got := p.Access.TrialDaysLeft(company); got != c.want {
			t.Errorf("%s with %v left: %d days, want %d", c.standing, c.left, got, c.want)
		}
	}
	if got := p.Access.TrialDaysLeft(store.Company{Standing: store.Trial}); got != 0 {
		t.Errorf("a trial without end has %d days left", got)
	}
}

func TestSupportIsEmptyUntilItIsConfigured(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	if got := p.Access.Support(access.Place{}); len(got) != 1 || got[0].Phone != "13700000500" {
		t.Errorf("support %v", got)
	}
	p.Restart(func(o *portal.Options) { o.Support = access.Contact{Role: access.RoleSupport, Name: "nobody"} })
	if got := p.Access.Support(access.Place{}); got != nil {
		t.Errorf("support without a number: %v", got)
	}
}
