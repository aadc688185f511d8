package store_test

import (
	"slices"
	"strings"
	"testing"

	"portico/store"
	"portico/store/storetest"
)

func TestClearingASubjectClearsTheCountersOfItsBrowsers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, device := t.Context(), strings.Repeat("d", 22)
		gone := []string{"phone:7", "known:" + device + ":phone:7", "known:" + strings.Repeat("e", 22) + ":phone:7"}
		kept := []string{
			"phone:8", "known:" + device + ":phone:77", "known:" + device + ":account:7",
			"other:" + device + ":phone:7",
		}
		for _, key := range append(gone, kept...) {
			_, err := db.Attempts.Raise(ctx, key, 10, 0)
			must(t, err)
		}
		must(t, db.Attempts.ClearSubject(ctx, "phone:7"))
		for _, key := range append(gone, kept...) {
			a, err := db.Attempts.Of(ctx, key)
			must(t, err)
			if (a.Failures == 1) != slices.Contains(kept, key) {
				t.Errorf("%s: %d failures", key, a.Failures)
			}
		}
	})
}

func TestWithoutAPersonAndAnAccountThereAreNoSessionsAndIdentities(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		must(t, db.Sessions.Add(t.Context(), store.Session{ID: "landing", EndsAt: 10, IdleUntil: 10}))
		sessions, err := db.Sessions.OfHolder(t.Context(), 0, 0, 1)
		must(t, err)
		identities, err := db.Identities.OfHolder(t.Context(), 0, 0)
		must(t, err)
		if len(sessions)+len(identities) != 0 {
			t.Errorf("%+v %+v", sessions, identities)
		}
	})
}
