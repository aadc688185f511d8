package onboarding_test

import (
	"slices"
	"testing"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/samples"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

func TestEveryDemoPhoneAndLoginHasTheDocumentedResult(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range onboardingtest.DemoCases {
			result, err := p.Login(p.LoginInput(c.Who))
			if c.Refusal != "" {
				with := portaltest.Refused(t, err, c.Refusal)
				if company := with.Company; (company == nil) != (c.Company == 0) || company != nil &&
					company.ID != c.Company {
					t.Errorf("%s: the refusal names company %v", c.Who, company)
				}
				var phones []string
				for _, contact := range with.Contacts {
					phones = append(phones, contact.Phone)
				}
				if len(phones) != len(c.Contacts) {
					t.Errorf("%s: contacts %v, want %v", c.Who, phones, c.Contacts)
					continue
				}
				for i := range phones {
					if phones[i] != c.Contacts[i] {
						t.Errorf("%s: contacts %v, want %v", c.Who, phones, c.Contacts)
					}
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.Who, err)
				continue
			}
			want := signin.Step{Kind: c.Kind, CompanyID: c.Company}
			if c.Account != "" {
				want.AccountID = p.Account(c.Account).ID
			}
			if result.Step != want {
				t.Errorf("%s: step %+v, want %+v", c.Who, result.Step, want)
			}
			if c.Kind != signin.StepBind {
				continue
			}
			portaltest.NoError(t, p.Binding.StopBindReminder(t.Context(), result.Session, want.AccountID, 0))
			want.Kind = signin.StepEnter
			if step := p.SignIn(portaltest.AccountHost, c.Who).Step; step != want {
				t.Errorf("%s, not to be reminded: step %+v, want %+v", c.Who, step, want)
			}
		}
	})
}

func TestTheDemoTableNamesOnlyAccountsThatCanSignInAndEachPhoneOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range onboarding.DemoTable {
		if seen[row.Login] || row.Shows == "" {
			t.Errorf("row %+v", row)
		}
		seen[row.Login] = true
	}
	for _, c := range onboardingtest.DemoCases[:14] {
		if !seen[c.Who] {
			t.Errorf("%s is missing", c.Who)
		}
	}
	if len(onboarding.DemoTable) != 14 {
		t.Errorf("%d rows", len(onboarding.DemoTable))
	}
}

func TestTheDemoCompaniesAreTheDocumentedOnes(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		all, err := p.DB.Companies.Find(t.Context(), store.CompanyQuery{Limit: 1000})
		portaltest.NoError(t, err)
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
			ended := c.EndsAt <= store.At(p.Clock.Now())
			if c.ID != int64(1001+i) || c.Name != w.name || c.Language != w.language || c.Theme != w.theme ||
				c.Standing != w.standing || c.Disabled != w.disabled ||
				ended != w.ended || c.Lighting != w.lights || c.Mall != w.mall || c.ApplicationsOpen != w.open ||
				w.open && c.ApplicationsReviewed != w.review {
				t.Errorf("company %d: %+v", c.ID, c)
			}
		}
	})
}

// Whoever opens a demo shop finds what its name promises: rice and oil, seafood, lamps.
func TestTheDemoCompaniesSellWhatTheirNamesSay(t *testing.T) {
	pack := func(industry int64) *samples.SamplePack { p, _ := samples.Samples(industry); return p }
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for id, want := range map[int64]*samples.SamplePack{
			1001: pack(118), 1002: samples.Seafood(), 1003: pack(128), 1004: {}, 1005: {}, 1006: {}, 1007: {},
			1008: pack(725),
		} {
			sold, err := p.DB.Catalogue.Products(t.Context(), id)
			portaltest.NoError(t, err)
			if len(sold) != len(want.Products) {
				t.Errorf("company %d sells %d products, want %d", id, len(sold), len(want.Products))
			}
			for _, product := range sold {
				isIt := func(s samples.SampleProduct) bool { return s.Key == product.Sample }
				if !slices.ContainsFunc(want.Products, isIt) {
					t.Errorf("company %d sells %s", id, product.Name)
				}
			}
		}
	})
}

func TestLoadingTheDemoAgainChangesNothing(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.UpdateCompany(1002, func(c *store.Company) { c.Name = "Renamed" })
		before := p.Account("buyer1")
		portaltest.NoError(t, p.Onboarding.LoadDemo(t.Context()))
		c, err := p.Operator.Company(t.Context(), 1002)
		portaltest.NoError(t, err)
		if after := p.Account("buyer1"); c.Name != "Renamed" || after.PasswordHash != before.PasswordHash ||
			after.ID != before.ID {
			t.Error("the demo overwrote what was there")
		}
	})
}

func TestTheDemoUsesAPhoneThatExistsAlready(t *testing.T) {
	storetest.EachRule(t, func(t *testing.T, db *store.DB) {
		p := portaltest.NewEmptyPlatform(t, db)
		id, err := db.Persons.Add(t.Context(), store.Person{Phone: "13800000001", CreatedAt: store.At(p.Clock.Now())})
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Onboarding.LoadDemo(t.Context()))
		if got := p.Account("buyer1").PersonID; got != id {
			t.Errorf("buyer1 is bound to phone %d, want the row that was there, %d", got, id)
		}
	})
}

func TestRowsAddedAfterTheDemoGetNewIDs(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		now := store.At(p.Clock.Now())
		phone, err := p.DB.Persons.Add(t.Context(), store.Person{Phone: "13912345678", CreatedAt: now})
		portaltest.NoError(t, err)
		account, err := p.DB.Accounts.Add(t.Context(), store.Account{
			CompanyID: 1001, Side: store.Shop, Type: store.TypeShop, Login: "later", PersonID: phone,
			State: store.AccountActive, CreatedAt: now,
		})
		portaltest.NoError(t, err)
		if phone == 0 || account == 0 {
			t.Errorf("phone %d, account %d: taken for rows that exist", phone, account)
		}
		if got := p.Account("later").ID; got != account || got <= p.Account("northwind").ID {
			t.Errorf("account %d", got)
		}
	})
}

func TestNoTwoDemoPasswordsAreStoredAlike(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		seen := map[string]string{}
		note := func(whose, hash string) {
			if other, ok := seen[hash]; ok || hash == "" {
				t.Errorf("%s and %s share the hash %q", whose, other, hash)
			}
			seen[hash] = whose
		}
		for _, c := range onboardingtest.DemoCases {
			if number, ok := access.NormalPhone(c.Who); ok {
				person, err := p.DB.Persons.ByNumber(t.Context(), number)
				portaltest.NoError(t, err)
				note(number, person.PasswordHash)
			} else {
				note(c.Who, p.Account(c.Who).PasswordHash)
			}
		}
	})
}
