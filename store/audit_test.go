package store_test

import (
	"fmt"
	"testing"

	"portico/store"
	"portico/store/storetest"
)

func TestOldAuditEventsAreRemovedAThousandAtATime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		storetest.Exec(t, db, fmt.Sprintf(`INSERT INTO audit_events (at, kind, company_id)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
			SELECT %d + i, 'sign_in', 1 FROM n`, now))
		for step, want := range []int64{1000, 1000, 99, 0} {
			if n, err := db.Audit.Forget(t.Context(), now+2100); n != want || err != nil {
				t.Errorf("step %d removed %d: %v", step, n, err)
			}
		}
		left, err := db.Audit.Events(t.Context(), 1, 5000)
		must(t, err)
		if len(left) != 401 || left[len(left)-1].At != now+2100 {
			t.Errorf("%d events are left, the oldest of %d", len(left), left[len(left)-1].At)
		}
	})
}

func TestIdleTimesAreNeverStoredLaterThanTheEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		_, account, _ := seed(t, db)
		ends := now + 60*minute
		late := ends + minute
		must(t, db.Sessions.Add(t.Context(), store.Session{
			ID: "s", Host: "h", Family: "f", AccountID: account, SeenAt: now, IdleUntil: late, EndsAt: ends,
		}))
		must(t, db.Slots.Set(t.Context(), store.SessionSlot{
			SessionID: "s", Slot: store.MobileShop, State: store.SlotIn, AccountID: account, CompanyID: 1, Family: "f",
			IdleUntil: late, EndsAt: ends,
		}))
		check := func(when string) {
			t.Helper()
			s, err := db.Sessions.ByID(t.Context(), "s", now)
			must(t, err)
			slot, err := db.Slots.Of(t.Context(), "s", store.MobileShop, store.SlotIn, now)
			must(t, err)
			if s.IdleUntil != ends || slot.IdleUntil != ends {
				t.Errorf("%s: the session until %d, the slot until %d, both end at %d",
					when, s.IdleUntil, slot.IdleUntil, ends)
			}
		}
		check("when stored")
		must(t, run(t.Context(), db, func(b *store.Batch) { b.ConfirmFamily("f", now, late) }))
		check("when confirmed")
		must(t, run(t.Context(), db, func(b *store.Batch) {
			b.SaveSession(browserSession("s", store.Session{ID: "renewed", SeenAt: now, IdleUntil: late, EndsAt: ends}))
			b.SaveSession(browserSession("renewed", store.Session{ID: "s", EndsAt: ends}))
		}))
		check("when renewed")
		must(t, db.Sessions.Touch(t.Context(), "s", now, late))
		must(t, db.Slots.Touch(t.Context(), "s", store.MobileShop, late))
		check("when used")
	})
}
