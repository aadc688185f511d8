package core

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"
)

func TestTwoHundredThousandSignaturesAreRemembered(t *testing.T) {
	t.Parallel()
	r := newReplays()
	now := time.Now()
	for i := range 300_000 {
		r.Own.Add(signatureID{byte(i), byte(i >> 8), byte(i >> 16)}, 1, now)
	}
	if n := r.Own.Size(); n < 200_000 || n > 220_000 {
		t.Errorf("%d signatures are remembered", n)
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
				r.Own.Add(id, next, now)
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
