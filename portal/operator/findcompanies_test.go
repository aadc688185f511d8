package operator_test

import (
	"slices"
	"testing"

	"portico/portal/operator"
	"portico/portal/portaltest"
	"portico/store"
)

func TestOperatorListsCompaniesByState(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		now := store.At(p.Clock.Now())
		change := func(id int64, f func(*store.Company)) {
			c := p.Company(id)
			f(&c)
			portaltest.NoError(t, p.DB.Companies.Update(t.Context(), c))
		}
		change(1001, func(c *store.Company) {
			c.Standing, c.EndsAt, c.Disabled, c.Sandbox = store.Trial, now+1, false,
				false
		})
		change(1002, func(c *store.Company) {
			c.Standing, c.EndsAt, c.Disabled, c.Sandbox = store.Trial, now, false,
				false
		})
		change(1003, func(c *store.Company) {
			c.Standing, c.EndsAt, c.Disabled, c.Sandbox = store.Formal, 0, false,
				false
		})
		change(1004, func(c *store.Company) {
			c.Standing, c.EndsAt, c.Disabled, c.Sandbox = store.Formal, 1, true,
				false
		})
		seen := 0
		for _, state := range operator.CompanyStates {
			portaltest.NoError(t, p.Operator.FindCompanies(t.Context(), store.CompanyQuery{}, state,
				func(c store.Company) error {
					seen++
					if want := map[int64]operator.CompanyState{
						1001: operator.TrialCompany, 1002: operator.ExpiredCompany, 1003: operator.FormalCompany,
						1004: operator.DisabledCompany,
					}[c.ID]; want != "" && want != state {
						t.Errorf("%d is listed as %s, want %s", c.ID, state, want)
					}
					return nil
				}))
		}
		var all []int64
		portaltest.NoError(t, p.Operator.FindCompanies(t.Context(), store.CompanyQuery{}, "",
			func(c store.Company) error { all = append(all, c.ID); return nil }))
		if seen != len(all) || !slices.IsSorted(all) {
			t.Errorf("%d companies have a state, of %v", seen, all)
		}
		var one []int64
		portaltest.NoError(t, p.Operator.FindCompanies(t.Context(), store.CompanyQuery{Limit: 1, After: 1001}, "",
			func(c store.Company) error { one = append(one, c.ID); return nil }))
		if !slices.Equal(one, []int64{1002}) {
			t.Errorf("one company after 1001: %v", one)
		}
		if err := p.Operator.FindCompanies(t.Context(), store.CompanyQuery{}, "sold", nil); err == nil {
			t.Error("an unknown state is accepted")
		}
	})
}
