package store_test

import (
	"testing"

	"portico/store"
	"portico/store/storetest"
)

func TestNoStepOfASweepRemovesMoreThanAThousandRows(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		numbers := "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001) "
		for _, insert := range []string{
			"INSERT INTO signatures (id, path, expires_at) " + numbers + "SELECT CAST(i AS TEXT), '/', 5 FROM n",
			"INSERT INTO read_signatures (id, instance, noted, expires_at) " + numbers +
				"SELECT CAST(i AS TEXT), 'a', '', 5 FROM n",
			"INSERT INTO lookups (address, subject, at) " + numbers + "SELECT 'a', CAST(i AS TEXT), 5 FROM n",
			"INSERT INTO attempts (key, failures, window_failures, window_from, blocked_until, updated_at) " + numbers +
				"SELECT CAST(i AS TEXT), 1, 1, 5, 0, 5 FROM n",
			"INSERT INTO known_devices (device, subject, seen_at) " + numbers + "SELECT CAST(i AS TEXT), 'a', 5 FROM n",
		} {
			storetest.Exec(t, db, insert)
		}
		for name, forget := range map[string]func() (int64, error){
			"signatures": func() (int64, error) { return db.Signatures.Forget(ctx, 10) },
			"reads":      func() (int64, error) { return db.Signatures.ForgetReads(ctx, 10) },
			"look-ups":   func() (int64, error) { return db.Attempts.ForgetLookups(ctx, 10) },
			"attempts":   func() (int64, error) { return db.Attempts.Forget(ctx, 10) },
			"devices":    func() (int64, error) { return db.Devices.Forget(ctx, 10) },
		} {
			for step := range 101 {
				n, err := forget()
				must(t, err)
				want := int64(1000)
				if step == 100 {
					want = 1
				}
				if n != want {
					t.Fatalf("%s: step %d removes %d rows", name, step, n)
				}
			}
		}
	})
}

func TestALeaseThatIsGivenBackIsFree(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		take := func(holder string, now, until store.Instant, want bool) {
			t.Helper()
			got, err := db.Leases.Take(t.Context(), "sweep", holder, now, until)
			must(t, err)
			if got != want {
				t.Errorf("%s at %d: %v", holder, now, got)
			}
		}
		take("a", 0, 10, true)
		take("b", 9, 20, false)
		take("a", 9, 15, true) // the holder extends it
		take("b", 14, 30, false)
		take("b", 15, 30, true)
		must(t, db.Leases.End(t.Context(), "sweep", "a")) // the lease belongs to another holder
		take("a", 16, 40, false)
		must(t, db.Leases.End(t.Context(), "sweep", "b"))
		take("a", 16, 40, true)
	})
}
