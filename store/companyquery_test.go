package store_test

import (
	"fmt"
	"slices"
	"testing"

	"portico/store"
	"portico/store/storetest"
)

func TestOperatorFindsCompaniesByText(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const now = store.Instant(1_000_000)
		for i, c := range []store.Company{
			{Name: "Sur de España", Standing: store.Trial, EndsAt: now + 1},
			{Name: "100%_sure", Standing: store.Formal},
			{Name: "华东批发", Standing: store.Trial, EndsAt: now},
			{Name: "Norte", Standing: store.Formal, EndsAt: now - 1, PCDomain: "https://norte.test"},
			{Name: "Este", Standing: store.Formal, EndsAt: now + 1, Disabled: true},
			{Name: "sure thing", Standing: store.Trial, EndsAt: now + 1, Sandbox: true},
		} {
			c.ID, c.Language, c.Mall = int64(2001+i), "es", store.MallOpen
			if saved, err := db.Companies.Save(t.Context(), c); err != nil || !saved {
				t.Fatal(saved, err)
			}
			if c.Sandbox {
				storetest.Exec(t, db, fmt.Sprintf("UPDATE companies SET sandbox = TRUE WHERE id = %d", c.ID))
			}
		}
		if err := db.Hosts.Add(t.Context(), 2003, "huadong.test", 1); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			query store.CompanyQuery
			want  []int64
		}{
			{store.CompanyQuery{}, []int64{2001, 2002, 2003, 2004, 2005, 2006}},
			{store.CompanyQuery{Text: "SUR"}, []int64{2001, 2002, 2006}},
			{store.CompanyQuery{Text: "%_"}, []int64{2002}},
			{store.CompanyQuery{Text: `\`}, nil},
			{store.CompanyQuery{Text: "批发"}, []int64{2003}},
			{store.CompanyQuery{Text: "huadong.test"}, []int64{2003}},
			{store.CompanyQuery{Text: "Norte.test"}, []int64{2004}},
			{store.CompanyQuery{Text: "2005"}, []int64{2005}},
			{store.CompanyQuery{After: 2004}, []int64{2005, 2006}},
			{store.CompanyQuery{Limit: 2, After: 2001}, []int64{2002, 2003}},
		} {
			if c.query.Limit == 0 {
				c.query.Limit = 100
			}
			found, err := db.Companies.Find(t.Context(), c.query)
			var got []int64
			for _, company := range found {
				got = append(got, company.ID)
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%+v found %v, want %v: %v", c.query, got, c.want, err)
			}
		}
	})
}
