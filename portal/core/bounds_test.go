package core

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/portal/access"
	"portico/store"
)

func TestAStatisticsAddressHasAtMostTwoHundredBytes(t *testing.T) {
	s := &Statistics{core: &Core{}, counters: []string{"count.example.com"}}
	const start = "https://count.example.com/"
	for length, want := range map[int]access.Problem{200: "", 201: access.CounterMalformed} {
		address := start + strings.Repeat("a", length-len(start))
		if got, problem := s.ViewCount(address); got != address || problem != want {
			t.Errorf("%d bytes: %q", length, problem)
		}
	}
}

func TestSixtyMenuChoicesOfAnAddressAreCountedInAMinute(t *testing.T) {
	var bound menuBound
	minute := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	for range 60 {
		if !bound.Allows("203.0.113.10/32", minute) {
			t.Fatal("one of the first sixty is not counted")
		}
	}
	if bound.Allows("203.0.113.10/32", minute.Add(time.Minute-time.Millisecond)) {
		t.Error("the sixty-first is counted")
	}
	if !bound.Allows("203.0.113.10/32", minute.Add(time.Minute)) {
		t.Error("none is counted in the next minute")
	}
}

func TestMenuChoicesOfFourThousandAddressesAreCountedInAMinute(t *testing.T) {
	var bound menuBound
	minute := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	for i := range 4096 {
		if !bound.Allows(fmt.Sprint("address ", i), minute) {
			t.Fatalf("address %d of 4096 is not counted", i+1)
		}
	}
	if bound.Allows("one more", minute) {
		t.Error("a further address is counted")
	}
	if !bound.Allows("address 0", minute) {
		t.Error("a known address is not counted any more")
	}
}

func TestThirtyTwoThousandCountersWaitToBeWritten(t *testing.T) {
	var v views
	v.waiting = map[store.ViewKey]int64{}
	for id := range int64(32_767) {
		v.waiting[store.ViewKey{CompanyID: id}] = 1
	}
	v.add(store.ViewKey{CompanyID: 40_000})
	v.take()
	if len(v.waiting) != 32_768 || v.lost.Load() != 0 {
		t.Errorf("%d wait, %d are lost", len(v.waiting), v.lost.Load())
	}
	v.add(store.ViewKey{CompanyID: 40_001})
	v.add(store.ViewKey{CompanyID: 40_000})
	v.take()
	if len(v.waiting) != 32_768 || v.waiting[store.ViewKey{CompanyID: 40_000}] != 2 || v.lost.Load() != 1 {
		t.Errorf("%d wait, %d are lost", len(v.waiting), v.lost.Load())
	}
}

func TestMenuChoicesAtTheSameTimeAreCountedOnce(t *testing.T) {
	var bound menuBound
	var counted atomic.Int64
	minute := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	testscope.Together(8, 50, func(int, int) {
		if bound.Allows("203.0.113.10/32", minute) {
			counted.Add(1)
		}
	})
	if n := counted.Load(); n != 60 {
		t.Errorf("%d choices of one address are counted in a minute", n)
	}
}
