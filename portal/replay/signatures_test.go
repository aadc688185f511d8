package replay_test

import (
	"fmt"
	"testing"
	"time"

	"portico/portal/portaltest"
	"portico/portal/replay"
	"portico/store/storetest"
)

func TestARowContainsAtMostFiveHundredReads(t *testing.T) {
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	for i := range 3000 {
		portaltest.NoError(
			t, p.Replay.FirstUse(t.Context(), replay.Call{Signature: fmt.Sprintf("%016x%048x", i, i), Path: "/read"}),
		)
	}
	p.Stop(t.Context())
	noted, err := p.Db.Signatures.ReadsOfOthers(t.Context(), "", 0)
	portaltest.NoError(t, err)
	if len(noted) == 0 {
		t.Fatal("nothing is noted")
	}
	most := 0
	for _, row := range noted {
		most = max(most, len(row.Noted)/16)
		if kept := row.ExpiresAt.Time().Sub(p.Clock.Now()); kept != 10*time.Minute {
			t.Errorf("kept for %v", kept)
		}
	}
	if most > 500 {
		t.Errorf("a row notes %d reads", most)
	}
}

func TestAReadIsStoredWithinATenthOfASecond(t *testing.T) {
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	began := time.Now()
	portaltest.NoError(
		t, p.Replay.FirstUse(t.Context(), replay.Call{Signature: fmt.Sprintf("%064x", 1), Path: "/read"}),
	)
	for {
		noted, err := p.Db.Signatures.ReadsOfOthers(t.Context(), "", 0)
		portaltest.NoError(t, err)
		if len(noted) > 0 {
			break
		}
		if time.Since(began) > 900*time.Millisecond {
			t.Fatal("it is not noted")
		}
		time.Sleep(10 * time.Millisecond)
	}
}
