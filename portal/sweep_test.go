package portal_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/portaltest"
	"portico/store"
	"portico/store/storetest"
)

func TestASweepRemovesAHundredThousandRowsInSteps(t *testing.T) {
	db := storetest.SQLite(t)
	p := portaltest.NewPlatform(t, db)
	storetest.Exec(t, db, fmt.Sprintf(`INSERT INTO signatures (id, path, expires_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
		SELECT 's' || i, '/', %d FROM n`, store.At(p.Clock.Now())))
	portaltest.NoError(t, p.Sweep(t.Context()))
	counts, err := storetest.RowCounts(t.Context(), db)
	portaltest.NoError(t, err)
	for _, want := range []string{"signatures=0 ", "leases=0 "} {
		if !strings.Contains(counts, want) {
			t.Errorf("no %s in %s", want, counts)
		}
	}
}

func TestOneInstanceSweepsAtATime(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		now := p.Clock.Now()
		sign := func() {
			_, err := p.Db.Signatures.Use(t.Context(), store.Signature{ID: "s", Path: "/", ExpiresAt: store.At(now)})
			portaltest.NoError(t, err)
		}
		left := func() bool {
			counts, err := storetest.RowCounts(t.Context(), p.Db)
			portaltest.NoError(t, err)
			return strings.Contains(counts, "signatures=1 ")
		}
		sign()
		held, err := p.Db.Leases.Take(
			t.Context(), "sweep", "another instance", store.At(now), store.At(now.Add(portal.SweepLease)),
		)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if !held || !left() {
			t.Error("two instances sweep")
		}
		p.Clock.Advance(10 * time.Minute)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if left() {
			t.Error("an instance that was lost keeps the others from sweeping")
		}
	})
}

func TestAuditEventsAreDeletedAfterTheOperatorsRetention(t *testing.T) {
	for said, kept := range map[time.Duration]time.Duration{0: 400 * 24 * time.Hour, 24 * time.Hour: 24 * time.Hour} {
		portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
			p.Restart(func(o *portal.Options) { o.AuditKept = said })
			left := func() int {
				events, err := p.Db.Audit.Events(t.Context(), 1001, 100)
				portaltest.NoError(t, err)
				return len(events)
			}
			portaltest.NoError(t, p.Db.Audit.Add(t.Context(), store.AuditEvent{
				At: store.At(p.Clock.Now()), Kind: "order_placed", CompanyID: 1001,
			}))
			p.Clock.Advance(kept - time.Second)
			portaltest.NoError(t, p.Sweep(t.Context()))
			if left() == 0 {
				t.Errorf("%v: no event is left", kept)
			}
			p.Clock.Advance(2 * time.Second)
			portaltest.NoError(t, p.Sweep(t.Context()))
			if left() != 0 {
				t.Errorf("%v: %d events are left too long", kept, left())
			}
		})
	}
}
