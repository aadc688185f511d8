package core_test

import (
	"fmt"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/store"
	"portico/store/storetest"
)

func TestRefusedLookUpsWriteNothing(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		always := func(int) string { return portaltest.HomeAddress }
		if revealed := countRevealed(p, 100, always); revealed != 10 {
			t.Errorf("%d look-ups were answered", revealed)
		}
		since := store.At(p.Clock.Now().Add(-time.Hour))
		n, err := p.DB.Attempts.CountLookups(t.Context(), "203.0.113.10/32", since, 1000)
		portaltest.NoError(t, err)
		if n != 11 {
			t.Errorf("%d rows", n)
		}
		if n := p.CountEvents(0, "probe"); n != 1 {
			t.Errorf("%d events", n)
		}
	})
}

func TestARefusedLookUpChangesNoRow(t *testing.T) {
	db := storetest.SQLite(t)
	p := portaltest.NewPlatform(t, db)
	countRevealed(p, 11, func(int) string { return portaltest.HomeAddress })
	for _, table := range []string{"lookups", "attempts", "audit_events"} {
		for _, change := range []string{"INSERT", "UPDATE", "DELETE"} {
			storetest.Exec(t, db, "CREATE TRIGGER no_"+change+"_"+table+" BEFORE "+change+" ON "+table+
				" BEGIN SELECT RAISE(ABORT, 'a row is changed'); END")
		}
	}
	if revealed := countRevealed(p, 1000, func(int) string { return portaltest.HomeAddress }); revealed != 0 {
		t.Errorf("%d look-ups were answered", revealed)
	}
}

func TestTheCostOfARefusedLookUpDoesNotGrowWithTheTable(t *testing.T) {
	db := storetest.SQLite(t)
	p := portaltest.NewPlatform(t, db)
	cost := func(rows int) time.Duration {
		storetest.Exec(t, db, fmt.Sprintf(`INSERT OR IGNORE INTO lookups (address, subject, at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			SELECT '203.0.113.10/32', 's' || i, %d FROM n`, rows, store.At(p.Clock.Now())))
		least := time.Hour
		for i := range 50 {
			began := time.Now()
			countRevealed(p, 1, func(int) string { return portaltest.HomeAddress })
			if took := time.Since(began); i > 0 && took < least {
				least = took
			}
		}
		return least
	}
	few := cost(1000)
	if many := cost(100_000); many > 5*few {
		t.Errorf("%v, and with a thousand rows %v", many, few)
	}
}

func TestAWiderNetworkMayLookUpAHundredPhones(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		revealed := countRevealed(p,
			120, func(i int) string { return fmt.Sprintf("2001:db8:7:%x::1", i/5) },
		)
		if revealed != 100 {
			t.Errorf("a /48: %d look-ups were answered", revealed)
		}
		revealed = countRevealed(p,
			120, func(i int) string { return fmt.Sprintf("198.51.100.%d", i/5) },
		)
		if revealed != 100 {
			t.Errorf("a /24: %d look-ups were answered", revealed)
		}
		if revealed := countRevealed(p, 1, func(int) string { return "2001:db8:8::1" }); revealed != 1 {
			t.Error("another /48 of the provider is refused")
		}
	})
}

func TestAProvidersNetworkMayLookUpAThousandPhones(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	revealed := countRevealed(p,
		1020, func(i int) string { return fmt.Sprintf("2001:db8:%x::1", i/10) },
	)
	if revealed != 1000 {
		t.Errorf("%d look-ups were answered", revealed)
	}
	if revealed := countRevealed(p, 1, func(int) string { return "2001:db9::1" }); revealed != 1 {
		t.Error("another provider is refused")
	}
}

// countRevealed tries another name each time, from the address that a function returns, and counts the answers that
// reveal whether the name exists.
func countRevealed(p *portaltest.Platform, names int, address func(i int) string) (revealed int) {
	p.T.Helper()
	for i := range names {
		_, err := p.Limits.PhoneKnown(p.From(address(i)), core.PhoneInput{Phone: fmt.Sprintf("139%08d", i)})
		if err == nil {
			revealed++
		} else {
			portaltest.Refused(p.T, err, access.TooManyAttempts)
		}
	}
	return revealed
}
