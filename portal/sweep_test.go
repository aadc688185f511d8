package portal_test

import (
	"fmt"
	"slices"
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
			_, err := p.DB.Signatures.Use(t.Context(), store.Signature{ID: "s", Path: "/", ExpiresAt: store.At(now)})
			portaltest.NoError(t, err)
		}
		left := func() bool {
			counts, err := storetest.RowCounts(t.Context(), p.DB)
			portaltest.NoError(t, err)
			return strings.Contains(counts, "signatures=1 ")
		}
		sign()
		held, err := p.DB.Leases.Take(
			t.Context(), "sweep", "another instance", store.At(now), store.At(now.Add(10*time.Minute)),
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

func TestASweepTakesTheLeaseForTenMinutesAndExtendsItAfterAMinute(t *testing.T) {
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	start := p.Clock.Now()
	var held []time.Duration // how long after the start the lease ends, before each step of the sweep
	p.Restart(func(o *portal.Options) {
		o.Now = func() time.Time { // a sweep reads the time before each step
			if until := sweepLease(p); until != 0 {
				held = append(held, until.Time().Sub(start))
			}
			switch len(held) {
			case 1:
				p.Clock.Advance(time.Minute - time.Millisecond)
			case 2:
				p.Clock.Advance(time.Millisecond)
			}
			return p.Clock.Now()
		}
	})
	portaltest.NoError(t, p.Sweep(t.Context()))
	want := []time.Duration{10 * time.Minute, 10 * time.Minute, 11 * time.Minute}
	if len(held) < 3 || !slices.Equal(held[:3], want) {
		t.Errorf("the lease ends %v after the start, want %v", held, want)
	}
}

// sweepLease returns when the lease to sweep ends, 0 when nobody has it. It fails the test if the lease cannot be read.
func sweepLease(p *portaltest.Platform) (until store.Instant) {
	p.T.Helper()
	dump, err := storetest.Dump(p.T.Context(), p.DB)
	portaltest.NoError(p.T, err)
	for line := range strings.Lines(dump) {
		var holder string
		_, _ = fmt.Sscanf(line, "leases [sweep %s %d]", &holder, &until)
	}
	return until
}

func TestAuditEventsAreDeletedAfterTheOperatorsRetention(t *testing.T) {
	for said, kept := range map[time.Duration]time.Duration{0: 400 * 24 * time.Hour, 24 * time.Hour: 24 * time.Hour} {
		portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
			p.Restart(func(o *portal.Options) { o.AuditKept = said })
			left := func() int {
				events, err := p.DB.Audit.Events(t.Context(), 1001, 100)
				portaltest.NoError(t, err)
				return len(events)
			}
			portaltest.NoError(t, p.DB.Audit.Add(t.Context(), store.AuditEvent{
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
