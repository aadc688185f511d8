package core

import (
	"testing"
	"time"

	"portico/e2e/testscope"
)

func TestAKeyIsRememberedForItsTime(t *testing.T) {
	t.Parallel()
	r := NewRecent[int, string](10*time.Minute, 1000)
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

// Some goroutines add and others read: one that does both would take the lock after its reading, which hides from the
// race detector that the reading takes none.
func TestKeysAreAddedFoundAndCountedAtTheSameTime(t *testing.T) {
	t.Parallel()
	r := NewRecent[int, int](10*time.Minute, 1000)
	now := time.Now()
	testscope.Together(6, 500, func(goroutine, i int) {
		switch goroutine % 3 {
		case 0:
			r.Add(i, goroutine, now.Add(time.Duration(i)*time.Second))
		case 1:
			r.Get(i)
		default:
			r.Size()
		}
	})
	if _, known := r.Get(499); !known {
		t.Error("the newest key is forgotten")
	}
}

func TestTheOldestKeysMakeRoomForNewOnes(t *testing.T) {
	t.Parallel()
	r := NewRecent[int, struct{}](10*time.Minute, 1000)
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
