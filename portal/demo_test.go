package portal_test

import (
	"testing"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// demoCase is one line of the contract's demo table (section 7) and what it must show.
type demoCase struct {
	who      string
	company  int64 // of the first step, or of the refusal
	kind     portal.StepKind
	account  string
	refusal  portal.Refusal
	contacts []string // phone numbers, best first
}

var demoCases = []demoCase{
	{who: "13800000001", kind: portal.StepEnter, company: 1001, account: "buyer1"},
	{who: "13800000002", kind: portal.StepEnter, company: 1001, account: "jinsui"},
	{who: "13800000003", kind: portal.StepCompany},
	{who: "13800000004", refusal: portal.UnderReview, company: 1001, contacts: []string{"13700000001", "13700000099", "13700000500"}},
	{who: "13800000005", refusal: portal.AccountDisabled, company: 1001, contacts: []string{"13700000001", "13700000099", "13700000500"}},
	{who: "13800000006", refusal: portal.PartnerEnded, company: 1001, contacts: []string{"13700000001", "13700000099", "13700000500"}},
	{who: "13800000007", refusal: portal.CompanyDisabled, company: 1004, contacts: []string{"13700000099", "13700000500", "13700000001"}},
	{who: "13800000008", refusal: portal.TrialEnded, company: 1005, contacts: []string{"13700000099", "13700000500", "13700000001"}},
	{who: "13800000009", refusal: portal.CompanyExpired, company: 1006, contacts: []string{"13700000099", "13700000500", "13700000001"}},
	{who: "13800000010", refusal: portal.MallNotOpen, company: 1007, contacts: []string{"13700000001", "13700000099", "13700000500"}},
	{who: "13800000011", refusal: portal.PhoneNotBound, contacts: []string{"13700000500"}},
	{who: "13800000012", kind: portal.StepCompany},
	{who: "nophone", kind: portal.StepBind, company: 1001, account: "nophone"},
	{who: "northwind", kind: portal.StepBind, company: 1003, account: "northwind"},
	{who: "buyer1", kind: portal.StepEnter, company: 1001, account: "buyer1"},
	{who: "jinsui", kind: portal.StepEnter, company: 1001, account: "jinsui"},
	{who: "li.manager", kind: portal.StepEnter, company: 1001, account: "li.manager"},
	{who: "sur", kind: portal.StepEnter, company: 1002, account: "sur"},
	{who: "li.shop", kind: portal.StepEnter, company: 1001, account: "li.shop"},
	{who: "li.lights", kind: portal.StepEnter, company: 1003, account: "li.lights"},
	{who: "trial", kind: portal.StepEnter, company: 1008, account: "trial"},
}

func TestEveryDemoPhoneAndLoginShowsWhatTheContractSays(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, c := range demoCases {
			result, err := p.login(p.as(c.who))
			if c.refusal != "" {
				with := refused(t, err, c.refusal)
				if company := with.Company; (company == nil) != (c.company == 0) || company != nil && company.ID != c.company {
					t.Errorf("%s: the refusal names company %v", c.who, company)
				}
				var phones []string
				for _, contact := range with.Contacts {
					phones = append(phones, contact.Phone)
				}
				if len(phones) != len(c.contacts) {
					t.Errorf("%s: contacts %v, want %v", c.who, phones, c.contacts)
					continue
				}
				for i := range phones {
					if phones[i] != c.contacts[i] {
						t.Errorf("%s: contacts %v, want %v", c.who, phones, c.contacts)
					}
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.who, err)
				continue
			}
			want := portal.Step{Kind: c.kind, CompanyID: c.company}
			if c.account != "" {
				want.AccountID = p.account(c.account).ID
			}
			if result.Step != want {
				t.Errorf("%s: step %+v, want %+v", c.who, result.Step, want)
			}
			if c.kind != portal.StepBind {
				continue
			}
			noError(t, p.StopBindReminder(t.Context(), result.Session, want.AccountID, 0))
			want.Kind = portal.StepEnter
			if step := p.signIn(accountHost, c.who).Step; step != want {
				t.Errorf("%s, not to be reminded: step %+v, want %+v", c.who, step, want)
			}
		}
	})
}

func TestTheDemoTableNamesOnlyWhoCanSignInAndEveryPhoneOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range portal.DemoTable {
		if seen[row.Login] || row.Shows == "" {
			t.Errorf("row %+v", row)
		}
		seen[row.Login] = true
	}
	for _, c := range demoCases[:14] {
		if !seen[c.who] {
			t.Errorf("%s is missing", c.who)
		}
	}
	if len(portal.DemoTable) != 14 {
		t.Errorf("%d rows", len(portal.DemoTable))
	}
}

func TestTheDemoCompaniesAreTheContracts(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		all, err := p.Companies(t.Context())
		noError(t, err)
		if len(all) != 8 {
			t.Fatalf("%d companies", len(all))
		}
		want := []struct {
			name, language, theme   string
			standing                store.Standing
			disabled, ended, lights bool
			mall                    store.Mall
			open, review            bool
		}{
			{"金穗粮油", "zh", "", store.Formal, false, false, false, store.MallOpen, true, true},
			{"Mariscos del Sur", "es", "d9480f", store.Formal, false, false, false, store.MallOpen, true, false},
			{"Northwind Lighting", "en", "1c7ed6", store.Formal, false, false, true, store.MallOpen, false, true},
			{"停用商贸", "zh", "", store.Formal, true, false, false, store.MallOpen, false, true},
			{"试用到期商贸", "zh", "", store.Trial, false, true, false, store.MallOpen, false, true},
			{"过期商贸", "zh", "", store.Formal, false, true, false, store.MallOpen, false, true},
			{"未开商城", "zh", "", store.Formal, false, false, false, store.MallNotOpen, false, true},
			{"试用中商贸", "zh", "", store.Trial, false, false, false, store.MallOpen, false, true},
		}
		for i, c := range all {
			w := want[i]
			ended := c.EndsAt <= store.At(p.clock.now())
			if c.ID != int64(1001+i) || c.Name != w.name || c.Language != w.language || c.Theme != w.theme || c.Standing != w.standing || c.Disabled != w.disabled ||
				ended != w.ended || c.Lighting != w.lights || c.Mall != w.mall || c.ApplicationsOpen != w.open || w.open && c.ApplicationsReviewed != w.review {
				t.Errorf("company %d: %+v", c.ID, c)
			}
		}
	})
}

func TestLoadingTheDemoAgainChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.updateCompany(1002, func(c *store.Company) { c.Name = "Renamed" })
		before := p.account("buyer1")
		noError(t, p.LoadDemo(t.Context()))
		c, err := p.Company(t.Context(), 1002)
		noError(t, err)
		if after := p.account("buyer1"); c.Name != "Renamed" || after.PasswordHash != before.PasswordHash || after.ID != before.ID {
			t.Error("the demo overwrote what was there")
		}
	})
}

func TestTheDemoBindsToAPhoneThatIsThereAlready(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		p := newEmptyPlatform(t, db)
		id, err := db.AddPhone(t.Context(), store.Phone{Phone: "13800000001", CreatedAt: store.At(p.clock.now())})
		noError(t, err)
		noError(t, p.LoadDemo(t.Context()))
		if got := p.account("buyer1").PhoneID; got != id {
			t.Errorf("buyer1 is bound to phone %d, want the row that was there, %d", got, id)
		}
	})
}

func TestRowsAddedAfterTheDemoGetIdsOfTheirOwn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		now := store.At(p.clock.now())
		phone, err := p.db.AddPhone(t.Context(), store.Phone{Phone: "13912345678", CreatedAt: now})
		noError(t, err)
		account, err := p.db.AddAccount(t.Context(), store.Account{CompanyID: 1001, Side: store.Shop, Type: store.TypeShop, Login: "later", PhoneID: phone, State: store.AccountActive, CreatedAt: now})
		noError(t, err)
		if phone == 0 || account == 0 {
			t.Errorf("phone %d, account %d: taken for rows that exist", phone, account)
		}
		if got := p.account("later").ID; got != account || got <= p.account("northwind").ID {
			t.Errorf("account %d", got)
		}
	})
}

func TestNoTwoDemoPasswordsAreStoredAlike(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		seen := map[string]string{}
		note := func(whose, hash string) {
			if other, ok := seen[hash]; ok || hash == "" {
				t.Errorf("%s and %s share the hash %q", whose, other, hash)
			}
			seen[hash] = whose
		}
		for _, c := range demoCases {
			if number, ok := portal.NormalPhone(c.who); ok {
				phone, err := p.db.PhoneByNumber(t.Context(), number)
				noError(t, err)
				note(number, phone.PasswordHash)
			} else {
				note(c.who, p.account(c.who).PasswordHash)
			}
		}
	})
}
