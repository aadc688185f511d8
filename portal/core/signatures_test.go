package core_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/store"
	"portico/store/storetest"
)

func TestReadsOfATenthOfASecondAreStoredTogetherFiveHundredAtMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
		for i := range 501 {
			call := core.Call{Signature: fmt.Sprintf("%016x%048x", i, i), Path: "/read"}
			portaltest.NoError(t, p.Replay.FirstUse(t.Context(), call))
		}
		time.Sleep(99 * time.Millisecond)
		synctest.Wait()
		if rows := notedReads(p); len(rows) != 0 {
			t.Errorf("stored before the tenth of a second is over: %+v", rows)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		rows := notedReads(p)
		if len(rows) != 1 {
			t.Fatalf("%d rows", len(rows))
		}
		if n := len(rows[0].Noted); n != 500*16 { // 16 digits of each
			t.Errorf("%d digits are stored", n)
		}
		if kept := rows[0].ExpiresAt.Time().Sub(p.Clock.Now()); kept != 10*time.Minute {
			t.Errorf("kept for %v", kept)
		}
	})
}

// Of a read, other instances know sixteen digits of the signature.
func TestASignatureWithTheSameSixteenDigitsAsAReadIsAReplayOnAnotherInstance(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		other, err := portal.New(p.Options)
		portaltest.NoError(t, err)
		portaltest.NoError(
			t, p.Replay.FirstUse(t.Context(), core.Call{Signature: strings.Repeat("a", 64), Path: "/read"}),
		)
		p.Replay.StorePendingReads(t.Context())
		for same, replayed := range map[int]bool{15: false, 16: true} {
			err := other.Replay.FirstUse(t.Context(), core.Call{
				Signature: strings.Repeat("a", same) + strings.Repeat("b", 64-same), Path: "/effect", Effect: true,
			})
			if replayed {
				portaltest.Refused(t, err, access.SignReplayed)
			} else {
				portaltest.NoError(t, err)
			}
		}
	})
}

// The clocks of two instances differ, and a transaction that began earlier may be committed later.
func TestReadsThatAnotherInstanceStoresFiveSecondsLateAreSeen(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		latest := p.Clock.In(10 * time.Minute)
		for _, c := range []struct {
			digit    string
			late     time.Duration
			replayed bool
		}{
			{"a", 0, true}, {"b", 5*time.Second - time.Millisecond, true}, {"c", 5 * time.Second, false},
		} {
			portaltest.NoError(t, p.DB.Signatures.NoteReads(t.Context(), c.digit, "another", store.ReadSignatures{
				Noted: strings.Repeat(c.digit, 16), ExpiresAt: store.At(latest.Add(-c.late)),
			}))
			err := p.Replay.FirstUse(t.Context(), core.Call{
				Signature: strings.Repeat(c.digit, 64), Path: "/effect", Effect: true,
			})
			if c.replayed {
				portaltest.Refused(t, err, access.SignReplayed)
			} else {
				portaltest.NoError(t, err)
			}
		}
	})
}

// A signature is remembered as long as its timestamp can be accepted: five minutes before it and five after.
func TestASignatureIsRememberedForTenMinutes(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		call := core.Call{Signature: strings.Repeat("5", 64), Path: "/effect", Effect: true}
		portaltest.NoError(t, p.Replay.FirstUse(t.Context(), call))
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		portaltest.Refused(t, p.Replay.FirstUse(t.Context(), call), access.SignReplayed)
		p.Restart() // nothing of it is left in memory
		portaltest.Refused(t, p.Replay.FirstUse(t.Context(), call), access.SignReplayed)
		p.Clock.Advance(time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		p.Restart()
		portaltest.NoError(t, p.Replay.FirstUse(t.Context(), call))
	})
}

// notedReads returns the rows in which all instances have stored their reads.
func notedReads(p *portaltest.Platform) []store.ReadSignatures {
	p.T.Helper()
	rows, err := p.DB.Signatures.ReadsOfOthers(p.T.Context(), "", 0)
	portaltest.NoError(p.T, err)
	return rows
}
