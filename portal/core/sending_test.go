package core_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/store/storetest"
)

func TestTheTimeForAFormWithAFileAllowsAKilobyteASecond(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	for bytes, want := range map[int64]time.Duration{
		0: 10 * time.Second, 1024: 11 * time.Second, 60 * 1024: 70 * time.Second, 110 * 1024: 2 * time.Minute,
		5 << 20: 2 * time.Minute,
	} {
		if got := core.SendingDue(began, bytes).Sub(began); got != want {
			t.Errorf("after %d bytes: %v, want %v", bytes, got, want)
		}
	}
}

func TestANetworkSendsAFewFormsWithAFileAtATime(t *testing.T) {
	t.Parallel()
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	for name, c := range map[string]struct {
		limit   int
		address func(i int) string
		other   string
	}{
		"an IPv4 address": {8, func(int) string { return "203.0.113.9" }, "203.0.113.10"},
		"a /64":           {8, func(i int) string { return fmt.Sprintf("2001:db8:1:1::%x", i) }, "2001:db8:1:2::1"},
		"a /24":           {16, func(i int) string { return fmt.Sprintf("198.51.100.%d", i) }, "198.51.101.1"},
		"a /48":           {16, func(i int) string { return fmt.Sprintf("2001:db9:1:%x::1", i) }, "2001:db9:2:1::1"},
		"a /16":           {32, func(i int) string { return fmt.Sprintf("10.9.%d.1", i) }, "10.10.0.1"},
		"a /32":           {32, func(i int) string { return fmt.Sprintf("2001:dba:%x:1::1", i) }, "2001:dbb:1:1::1"},
	} {
		var running []func()
		for i := range c.limit {
			done, err := p.Verification.StartSending(p.From(c.address(i)), true)
			if err != nil {
				t.Fatalf("%s: form %d: %v", name, i+1, err)
			}
			running = append(running, done)
		}
		_, err := p.Verification.StartSending(p.From(c.address(c.limit)), true)
		if with := portaltest.Refused(t, err, access.TooManyAttempts); with.Wait != 10*time.Second {
			t.Errorf("%s has to wait %v", name, with.Wait)
		}
		done, err := p.Verification.StartSending(p.From(c.other), true)
		if err != nil {
			t.Fatalf("%s: its neighbour: %v", name, err)
		}
		running[0]()
		again, err := p.Verification.StartSending(p.From(c.address(0)), true)
		if err != nil {
			t.Fatalf("%s: when one has ended: %v", name, err)
		}
		for _, done := range append(running, done, again) {
			done()
		}
	}
}

func TestSixtyFourFormsWithAFileArriveAtATimeAndSixteenPlacesAreForProvenSenders(t *testing.T) {
	t.Parallel()
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	var last func()
	send := func(i int, proven bool) error {
		done, err := p.Verification.StartSending(p.From(portaltest.DistantAddress(i)), proven)
		if err == nil {
			last = done
		}
		return err
	}
	wantFull := func(proven bool) {
		t.Helper()
		if with := portaltest.Refused(t, send(64, proven), access.NotAvailable); with.Wait != 10*time.Second {
			t.Errorf("the wait is %v", with.Wait)
		}
	}
	for i := range 64 {
		if i == 48 {
			wantFull(false)
		}
		if err := send(i, i >= 48); err != nil {
			t.Fatalf("form %d: %v", i+1, err)
		}
	}
	wantFull(true)
	last()
	portaltest.NoError(t, send(64, true))
}

func TestFormsThatBeginAndEndAtTheSameTimeStayWithinTheLimit(t *testing.T) {
	t.Parallel()
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	testscope.Together(8, 200, func(goroutine, _ int) {
		done, err := p.Verification.StartSending(p.From(portaltest.DistantAddress(goroutine)), true)
		if err != nil {
			t.Error(err)
			return
		}
		runtime.Gosched()
		done()
	})
	running := make(chan func(), 80)
	testscope.Together(8, 10, func(int, int) {
		if done, err := p.Verification.StartSending(p.From("203.0.113.9"), true); err == nil {
			running <- done
		}
	})
	if len(running) != 8 {
		t.Errorf("%d forms of one address at a time", len(running))
	}
}
