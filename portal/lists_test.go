package portal_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/store"
	"portico/store/storetest"
)

func TestCountsStopAtOneThousand(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		add := func(from, to int) {
			storetest.Exec(t, p.DB, fmt.Sprintf(`INSERT INTO clients (company_id, name, created_at)
				WITH RECURSIVE n (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				SELECT %d, 'Customer', 1 FROM n`, from, to, m.CompanyID))
			storetest.Exec(t, p.DB, fmt.Sprintf(`INSERT INTO applications
					(id, company_id, phone, company_name, contact_name, created_at)
				WITH RECURSIVE n (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				SELECT 800000 + i, %d, CAST(15000000000 + i AS TEXT), 'Shop', 'Person', 1 FROM n`,
				from, to, m.CompanyID))
			storetest.Exec(t, p.DB, fmt.Sprintf(`INSERT INTO orders
					(company_id, number, client_id, form, total, placed_at)
				WITH RECURSIVE n (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				SELECT %d, i, (SELECT MAX(id) FROM clients), 'form' || i, 1, 1 FROM n`, from, to, m.CompanyID))
		}
		for _, step := range []struct{ from, to, counted int }{
			{1, 1000, 1000}, {1001, 1001, 1001}, {1002, 1500, 1001},
		} {
			add(step.from, step.to)
			o, err := p.Overview.Office(t.Context(), p.LandingFor(m))
			portaltest.NoError(t, err)
			if o.Customers != step.counted || o.Pending != step.counted || o.NewOrders != step.counted {
				t.Errorf("of %d: %d, %d and %d", step.to, o.Customers, o.Pending, o.NewOrders)
			}
		}
	})
}

func TestEveryAuditKindIsListedInItsGroup(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddCompany(p, "zh")
		for _, kinds := range access.AuditKinds {
			for _, kind := range kinds {
				companytest.AddEvent(p, m.CompanyID, 0, kind, "")
			}
		}
		for group, kinds := range access.AuditKinds {
			list, err := companytest.AuditEvents(p, p.LandingFor(m), access.AuditFilter{Of: group})
			portaltest.NoError(t, err)
			found := map[string]bool{}
			for _, e := range list {
				found[e.Kind] = true
				if !slices.Contains(kinds, e.Kind) {
					t.Errorf("%s is shown among %s", e.Kind, group)
				}
			}
			if len(found) != len(kinds) {
				t.Errorf("%s: %d of %d kinds are found", group, len(found), len(kinds))
			}
		}
	})
}

// Events of before the column got their part from the migration, which repeats the kinds of that time.
func TestMigrationSetsTheGroupOfEveryAuditKind(t *testing.T) {
	text, err := os.ReadFile("../store/schema/0013_flat_work.sql")
	portaltest.NoError(t, err)
	_, text, _ = bytes.Cut(text, []byte("UPDATE audit_events"))
	text, _, _ = bytes.Cut(text, []byte(";"))
	words := regexp.MustCompile(`'(\w+)'`)
	listed := map[access.AuditGroup][]string{}
	branches := regexp.MustCompile(`(?s)kind IN \(([^)]*)\) THEN '(\w+)'`)
	for _, branch := range branches.FindAllStringSubmatch(string(text), -1) {
		for _, kind := range words.FindAllStringSubmatch(branch[1], -1) {
			listed[access.AuditGroup(branch[2])] = append(listed[access.AuditGroup(branch[2])], kind[1])
		}
	}
	_, signIns, _ := bytes.Cut(text, []byte("kind NOT IN"))
	for _, kind := range words.FindAllStringSubmatch(string(signIns), -1) {
		listed[access.AuditSignIn] = append(listed[access.AuditSignIn], kind[1])
	}
	for _, group := range []access.AuditGroup{
		access.AuditSignIn, access.AuditPeople, access.AuditCustomers, access.AuditOrders,
	} {
		for _, kind := range listed[group] {
			if !slices.Contains(access.AuditKinds[group], kind) {
				t.Errorf("%s is in group %s", kind, group)
			}
		}
		if len(listed[group]) < 2 {
			t.Errorf("%s has only %v", group, listed[group])
		}
	}
	for _, kind := range access.AuditKinds[access.AuditSettings] {
		for group, kinds := range listed {
			if slices.Contains(kinds, kind) {
				t.Errorf("%s is in group %s", kind, group)
			}
		}
	}
}

func TestTheBudgetsOfTheTenCompaniesThatSentLastAreShown(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		now := store.At(p.Clock.Now())
		for id := int64(1); id <= 11; id++ {
			_, err := p.DB.Attempts.Raise(t.Context(), fmt.Sprint("sms:company:", id), now+store.Instant(id), 0)
			portaltest.NoError(t, err)
		}
		budgets, err := p.Verification.MessageBudgets(t.Context())
		portaltest.NoError(t, err)
		var companies []int64
		for _, b := range budgets {
			companies = append(companies, b.CompanyID)
		}
		if !slices.Equal(companies, []int64{0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
			t.Errorf("%d", companies)
		}
	})
}
