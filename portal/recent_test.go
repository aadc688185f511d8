package portal

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"
)

func TestAKeyIsRememberedForItsTime(t *testing.T) {
	t.Parallel()
	r := newRecent[int, string](10*time.Minute, 1000)
	start := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	r.add(0, "first", start.Add(59*time.Second))
	for second := 60; second < 659; second++ { // others come meanwhile
		if before, known := r.add(0, "again", start.Add(time.Duration(second)*time.Second)); !known || before != "first" {
			t.Fatalf("forgotten after %d s: %q", second-59, before)
		}
		if second%10 == 0 {
			r.add(second, "other", start.Add(time.Duration(second)*time.Second))
		}
	}
	late := start.Add(13 * time.Minute)
	r.add(-1, "late", late)
	if _, known := r.get(0); known {
		t.Error("remembered after 12 minutes")
	}
}

func TestTheOldestKeysMakeRoomForNewOnes(t *testing.T) {
	t.Parallel()
	r := newRecent[int, struct{}](10*time.Minute, 1000)
	now := time.Now()
	for i := range 50_000 {
		r.add(i, struct{}{}, now)
		if n := r.size(); n > 1100 {
			t.Fatalf("%d are held", n)
		}
	}
	for i := 49_000; i < 50_000; i++ {
		if _, known := r.get(i); !known {
			t.Fatalf("%d of the last thousand is forgotten", i)
		}
	}
	if _, known := r.get(48_000); known {
		t.Error("an old one is remembered")
	}
}

func TestTwoHundredThousandSignaturesAreHeld(t *testing.T) {
	t.Parallel()
	r := newReplays()
	now := time.Now()
	for i := range 300_000 {
		r.own.add(signatureID{byte(i), byte(i >> 8), byte(i >> 16)}, 1, now)
	}
	if n := r.own.size(); n < 200_000 || n > 220_000 {
		t.Errorf("%d are held", n)
	}
}

// Checking the signature of a call should take the same time however many signatures are remembered.
func BenchmarkSignatureIsNew(b *testing.B) {
	for _, held := range []uint64{0, 100_000, 200_000, 400_000} {
		b.Run(fmt.Sprint("after ", held), func(b *testing.B) {
			r, id, next, now := newReplays(), signatureID{}, uint64(0), time.Now()
			add := func() {
				next++
				binary.LittleEndian.PutUint64(id[:], next)
				r.own.add(id, next, now)
			}
			for range held {
				add()
			}
			for b.Loop() {
				add()
			}
		})
	}
}
