package lists_test

import (
	"fmt"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/store"
	"portico/store/storetest"
)

// A search continues beyond the events that one step reads, page by page, and returns every event once.
func TestASearchOfTheLogFindsTheOldestOfManyEvents(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for many, pages := range map[int]int{3_000: 1, 20_000: 2} {
			storetest.Exec(t, p.DB, "DELETE FROM audit_events")
			person := p.Account("li.manager").ID
			for _, events := range []struct {
				kind, part string
				number     int
			}{{"registration_set", "settings", 1}, {"order_confirmed", "orders", many - 1}} {
				storetest.Exec(t, p.DB, fmt.Sprintf(`INSERT INTO audit_events (at, kind, part, company_id, account_id)
					WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
					SELECT %d, '%s', '%s', 1001, %d FROM n`,
					events.number, store.At(p.Clock.Now()), events.kind, events.part, person))
			}
			here, today := p.Office("jinsui"), p.Clock.Now().In(access.CompanyDay).Format("2006-01-02")
			for _, c := range []struct {
				f           access.AuditFilter
				want, pages int
			}{
				{access.AuditFilter{Search: "li.man", Of: access.AuditSettings}, 1, pages},
				{access.AuditFilter{Search: "li.man", Of: access.AuditSettings, From: today}, 1, pages},
				{access.AuditFilter{Search: "li.man", Limit: 500}, many, many / 500},
				{access.AuditFilter{Search: "li.man", Limit: 500, To: today}, many, many / 500},
			} {
				seen, read, last := map[int64]bool{}, 0, ""
				for before := int64(1); before != 0; read++ {
					list, err := p.Lists.Audit(t.Context(), here, c.f)
					portaltest.NoError(t, err)
					for _, e := range list.Events {
						seen[e.ID], last = true, e.Kind
					}
					before, c.f.Before = list.Older, list.Older
				}
				if len(seen) != c.want || read != c.pages || last != "registration_set" {
					t.Errorf("%+v of %d events: %d events in %d pages, want %d in %d; the last one is %s",
						c.f, many, len(seen), read, c.want, c.pages, last)
				}
				if c.f.Of == "" {
					continue
				}
				exported := 0
				portaltest.NoError(t, p.Lists.EachAuditEvent(t.Context(), here, c.f, func(e []access.AuditEvent) error {
					exported += len(e)
					return nil
				}))
				if exported != c.want {
					t.Errorf("%+v of %d events: %d in the export", c.f, many, exported)
				}
			}
		}
	})
}
