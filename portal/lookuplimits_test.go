package portal_test

import (
	"fmt"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// countRevealed tries another name each time, from the address that a function returns, and counts the answers that reveal
// whether the name exists.
func (p *platform) countRevealed(names int, address func(i int) string) (revealed int) {
	p.t.Helper()
	for i := range names {
		_, err := p.PhoneKnown(p.from(address(i)), portal.PhoneInput{Phone: fmt.Sprintf("139%08d", i)})
		if err == nil {
			revealed++
		} else {
			refused(p.t, err, portal.TooManyAttempts)
		}
	}
	return revealed
}

func TestRefusedLookUpsWriteNothing(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		always := func(int) string { return homeAddress }
		if revealed := p.countRevealed(100, always); revealed != 10 {
			t.Errorf("%d look-ups were answered", revealed)
		}
		since := store.At(p.clock.now().Add(-portal.LookupWindow))
		n, err := p.db.CountLookups(t.Context(), "203.0.113.10/32", since, 1000)
		noError(t, err)
		if n != 11 {
			t.Errorf("%d rows", n)
		}
		if n := p.events(0, "probe"); n != 1 {
			t.Errorf("%d events", n)
		}
	})
}

func TestARefusedLookUpChangesNoRow(t *testing.T) {
	db := storetest.SQLite(t)
	p := newPlatform(t, db)
	p.countRevealed(11, func(int) string { return homeAddress })
	for _, table := range []string{"lookups", "attempts", "audit_events"} {
		for _, change := range []string{"INSERT", "UPDATE", "DELETE"} {
			storetest.Exec(t, db, "CREATE TRIGGER no_"+change+"_"+table+" BEFORE "+change+" ON "+table+
				" BEGIN SELECT RAISE(ABORT, 'a row is changed'); END")
		}
	}
	if revealed := p.countRevealed(1000, func(int) string { return homeAddress }); revealed != 0 {
		t.Errorf("%d look-ups were answered", revealed)
	}
}

func TestARefusedLookUpCostsTheSameWithAThousandRowsAndAHundredThousand(t *testing.T) {
	db := storetest.SQLite(t)
	p := newPlatform(t, db)
	cost := func(rows int) time.Duration {
		storetest.Exec(t, db, fmt.Sprintf(`INSERT OR IGNORE INTO lookups (address, subject, at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			SELECT '203.0.113.10/32', 's' || i, %d FROM n`, rows, store.At(p.clock.now())))
		least := time.Hour
		for i := range 50 {
			began := time.Now()
			p.countRevealed(1, func(int) string { return homeAddress })
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

func TestAWiderNetworkAsksAboutAHundredPhones(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		if revealed := p.countRevealed(120, func(i int) string { return fmt.Sprintf("2001:db8:7:%x::1", i/5) }); revealed != 100 {
			t.Errorf("a /48: %d look-ups were answered", revealed)
		}
		if revealed := p.countRevealed(120, func(i int) string { return fmt.Sprintf("198.51.100.%d", i/5) }); revealed != 100 {
			t.Errorf("a /24: %d look-ups were answered", revealed)
		}
		if revealed := p.countRevealed(1, func(int) string { return "2001:db8:8::1" }); revealed != 1 {
			t.Error("another /48 of the provider is refused")
		}
	})
}

func TestAProviderAsksAboutAThousandPhones(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	if revealed := p.countRevealed(1020, func(i int) string { return fmt.Sprintf("2001:db8:%x::1", i/10) }); revealed != 1000 {
		t.Errorf("%d look-ups were answered", revealed)
	}
	if revealed := p.countRevealed(1, func(int) string { return "2001:db9::1" }); revealed != 1 {
		t.Error("another provider is refused")
	}
}
