package store_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"portico/store"
	"portico/store/storetest"
)

func TestALeaseHasOneHolderUntilItEnds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		take := func(name, holder string, now, until store.Instant) bool {
			t.Helper()
			taken, err := db.Leases.Take(t.Context(), name, holder, now, until)
			if err != nil {
				t.Fatal(err)
			}
			return taken
		}
		for i, c := range []struct {
			name, holder string
			now, until   store.Instant
			want         bool
		}{
			{"sweep", "a", 1000, 2000, true}, {"sweep", "b", 1000, 2000, false}, {"domains", "b", 1000, 2000, true},
			{"sweep", "b", 1999, 3000, false}, {"sweep", "a", 1999, 3000, true}, {"sweep", "b", 2000, 4000, false},
			{"sweep", "b", 3000, 4000, true}, {"sweep", "a", 3000, 4000, false},
		} {
			if got := take(c.name, c.holder, c.now, c.until); got != c.want {
				t.Errorf("%d: %s takes %s at %d: %t", i, c.holder, c.name, c.now, got)
			}
		}
		var won atomic.Int32
		var group sync.WaitGroup
		for _, holder := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			group.Go(func() {
				taken, err := db.Leases.Take(t.Context(), "at once", holder, 1000, 2000)
				if err != nil {
					t.Error(err)
				}
				if taken {
					won.Add(1)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 {
			t.Errorf("%d of eight at once took it", won.Load())
		}
	})
}
