package core_test

import (
	"fmt"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/store/storetest"
)

func TestPublicCallsOfANetworkAreLimitedPerMinute(t *testing.T) {
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	for name, c := range map[string]struct {
		limit   int
		address func(i int) string
		other   string
	}{
		"an IPv4 address": {300, func(int) string { return "203.0.113.9" }, "203.0.113.10"},
		"a /64":           {300, func(i int) string { return fmt.Sprintf("2001:db8:1:1::%x", i) }, "2001:db8:1:2::1"},
		"a /48":           {1500, func(i int) string { return fmt.Sprintf("2001:db9:1:%x::1", i) }, "2001:db9:2:1::1"},
		"a /24":           {1500, func(i int) string { return fmt.Sprintf("198.51.100.%d", i%256) }, "198.51.101.1"},
		"a /32":           {10000, func(i int) string { return fmt.Sprintf("2001:dba:%x:1::1", i) }, "2001:dbb:1:1::1"},
		"a /16": {
			10000, func(i int) string { return fmt.Sprintf("10.9.%d.%d", i%256, i/256%256) }, "10.10.0.1",
		},
	} {
		for i := range c.limit {
			if err := p.Limits.LimitPublicCall(p.From(c.address(i))); err != nil {
				t.Fatalf("%s: call %d: %v", name, i, err)
			}
		}
		with := portaltest.Refused(t, p.Limits.LimitPublicCall(p.From(c.address(c.limit))), access.TooManyAttempts)
		if with.WaitSeconds() < 1 || with.WaitSeconds() > 60 {
			t.Errorf("%s has to wait %v", name, with.Wait)
		}
		if err := p.Limits.LimitPublicCall(p.From(c.other)); err != nil {
			t.Errorf("%s: its neighbour: %v", name, err)
		}
	}
	p.Clock.Advance(time.Minute)
	if err := p.Limits.LimitPublicCall(p.From("203.0.113.9")); err != nil {
		t.Errorf("a minute later: %v", err)
	}
}

func TestTheNumberOfCountedNetworksIsLimited(t *testing.T) {
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	for i := range 150_000 {
		address := fmt.Sprintf("%x:%x:1:1::1", 0x2000+i%20_000, i/20_000)
		if err := p.Limits.LimitPublicCall(p.From(address)); err != nil {
			t.Fatal(err)
		}
	}
	if n := p.Limits.PublicNetworks(); n != 100_000 {
		t.Errorf("%d networks are counted", n)
	}
}
