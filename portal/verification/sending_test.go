package verification_test

import (
	"testing"
	"time"

	"portico/portal/verification"
)

func TestTheTimeForAFormWithAFileAllowsAKilobyteASecond(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	for bytes, want := range map[int64]time.Duration{
		0: 10 * time.Second, 1024: 11 * time.Second, 60 * 1024: 70 * time.Second, 110 * 1024: 2 * time.Minute,
		5 << 20: 2 * time.Minute,
	} {
		if got := verification.SendingDue(began, bytes).Sub(began); got != want {
			t.Errorf("after %d bytes: %v, want %v", bytes, got, want)
		}
	}
}
