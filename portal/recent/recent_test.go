package recent

import (
	"sync"
	"testing"
	"time"
)

func TestAKeyIsRememberedForItsTime(t *testing.T) {
	t.Parallel()
	r := New[int, string](10*time.Minute, 1000)
	start := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	r.Add(0, "first", start.Add(59*time.Second))
	for second := 60; second < 659; second++ { // others come meanwhile
		if before, known := r.Add(0, "again", start.Add(time.Duration(second)*time.Second)); !known ||
			before != "first" {
			t.Fatalf("forgotten after %d s: %q", second-59, before)
		}
		if second%10 == 0 {
			r.Add(second, "other", start.Add(time.Duration(second)*time.Second))
		}
	}
	late := start.Add(13 * time.Minute)
	r.Add(-1, "late", late)
	if _, known := r.Get(0); known {
		t.Error("remembered after 12 minutes")
	}
}

// The race detector sees what is not guarded.
func TestKeysAreAddedFoundAndCountedAtTheSameTime(t *testing.T) {
	t.Parallel()
	r := New[int, int](10*time.Minute, 1000)
	now := time.Now()
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 500 {
				r.Add(i, worker, now.Add(time.Duration(i)*time.Second))
				r.Get(i)
				r.Size()
			}
		})
	}
	all.Wait()
	if _, known := r.Get(499); !known {
		t.Error("the newest key is forgotten")
	}
}

func TestTheOldestKeysMakeRoomForNewOnes(t *testing.T) {
	t.Parallel()
	r := New[int, struct{}](10*time.Minute, 1000)
	now, largest := time.Now(), 0
	for i := range 50_000 {
		r.Add(i, struct{}{}, now)
		largest = max(largest, r.Size())
	}
	if largest != 1100 { // ten generations of a hundred keys, and the newest one
		t.Errorf("%d keys were remembered", largest)
	}
	for i := 49_000; i < 50_000; i++ {
		if _, known := r.Get(i); !known {
			t.Fatalf("%d of the last thousand is forgotten", i)
		}
	}
	if _, known := r.Get(48_000); known {
		t.Error("an old one is remembered")
	}
}
