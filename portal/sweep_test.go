package portal_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

func TestASweepRemovesAHundredThousandRowsInSteps(t *testing.T) {
	db := storetest.SQLite(t)
	p := newPlatform(t, db)
	storetest.Exec(t, db, fmt.Sprintf(`INSERT INTO signatures (id, path, expires_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
		SELECT 's' || i, '/', %d FROM n`, store.At(p.clock.now())))
	noError(t, p.Sweep(t.Context()))
	counts, err := db.RowCounts(t.Context())
	noError(t, err)
	for _, want := range []string{"signatures=0 ", "leases=0 "} {
		if !strings.Contains(counts, want) {
			t.Errorf("no %s in %s", want, counts)
		}
	}
}

func TestOneInstanceSweepsAtATime(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		now := p.clock.now()
		sign := func() {
			_, err := p.db.UseSignature(t.Context(), store.Signature{ID: "s", Path: "/", ExpiresAt: store.At(now)})
			noError(t, err)
		}
		left := func() bool {
			counts, err := p.db.RowCounts(t.Context())
			noError(t, err)
			return strings.Contains(counts, "signatures=1 ")
		}
		sign()
		held, err := p.db.TakeLease(t.Context(), "sweep", "another instance", store.At(now), store.At(now.Add(portal.SweepLease)))
		noError(t, err)
		noError(t, p.Sweep(t.Context()))
		if !held || !left() {
			t.Error("two instances sweep")
		}
		p.clock.advance(10 * time.Minute)
		noError(t, p.Sweep(t.Context()))
		if left() {
			t.Error("an instance that was lost keeps the others from sweeping")
		}
	})
}

func TestAuditEventsAreKeptForAsLongAsTheOperatorSays(t *testing.T) {
	for said, kept := range map[time.Duration]time.Duration{0: 400 * 24 * time.Hour, 24 * time.Hour: 24 * time.Hour} {
		each(t, func(t *testing.T, p *platform) {
			p.restart(func(o *portal.Options) { o.AuditKept = said })
			left := func() int {
				events, err := p.db.AuditEvents(t.Context(), 1001, 100)
				noError(t, err)
				return len(events)
			}
			noError(t, p.db.AddAuditEvent(t.Context(), store.AuditEvent{
				At: store.At(p.clock.now()), Kind: "order_placed", CompanyID: 1001,
			}))
			p.clock.advance(kept - time.Second)
			noError(t, p.Sweep(t.Context()))
			if left() == 0 {
				t.Errorf("%v: no event is left", kept)
			}
			p.clock.advance(2 * time.Second)
			noError(t, p.Sweep(t.Context()))
			if left() != 0 {
				t.Errorf("%v: %d events are left too long", kept, left())
			}
		})
	}
}
