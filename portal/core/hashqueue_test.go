package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"portico/portal/access"
)

// waiters are callers of a queue whose cores are all takeOnlyCore.
type waiters struct {
	t     *testing.T
	q     *hashQueue
	mu    sync.Mutex
	first *hashPlace
	order []string // who got a core, in this order
	all   sync.WaitGroup
}

// busyQueue returns a queue with one core, which is in use.
func busyQueue(t *testing.T) *waiters {
	t.Helper()
	return takeOnlyCore(t, newHashQueue(1, true))
}

// takeOnlyCore takes the only core of a queue and returns the callers who wait for it, none at first.
func takeOnlyCore(t *testing.T, q *hashQueue) *waiters {
	t.Helper()
	first, err := q.Reserve(t.Context(), LaneProven)
	if err == nil {
		err = first.take(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return &waiters{t: t, q: q, first: first}
}

// hashAt takes a place in a lane and waits for a core. leave gives both back.
func hashAt(ctx context.Context, q *hashQueue, lane hashLane) (leave func(), err error) {
	place, err := q.Reserve(ctx, lane)
	if err != nil {
		return nil, err
	}
	if err := place.take(ctx); err != nil {
		place.Leave()
		return nil, err
	}
	return place.Leave, nil
}

// callerAt returns the context of a caller with an address.
func callerAt(t *testing.T, address string) context.Context {
	return access.WithCaller(t.Context(), access.Caller{Address: address})
}

// wait adds a caller who waits for the core and gives it back at once. It returns when the caller has a place.
func (w *waiters) wait(lane hashLane, address, name string) {
	w.t.Helper()
	before := w.waiting(lane)
	w.all.Go(func() {
		leave, err := hashAt(callerAt(w.t, address), w.q, lane)
		if err != nil {
			w.t.Errorf("%s: %v", name, err)
			return
		}
		w.mu.Lock()
		w.order = append(w.order, name)
		w.mu.Unlock()
		leave()
	})
	for w.waiting(lane) == before {
		time.Sleep(time.Millisecond)
	}
}

// waiting returns how many callers of a lane wait.
func (w *waiters) waiting(lane hashLane) int {
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	return len(w.q.lanes[lane])
}

// refuses fails the test unless a caller from an address is refused a place at once.
func (w *waiters) refuses(lane hashLane, address string) {
	w.t.Helper()
	began := time.Now()
	_, noPlace := w.q.Reserve(callerAt(w.t, address), lane)
	for _, err := range []error{w.q.Room(callerAt(w.t, address), lane), noPlace} {
		refused := new(access.Refused)
		if !errors.As(err, &refused) || refused.Refusal != access.NotAvailable || refused.WaitSeconds() != 2 {
			w.t.Errorf("%s: %v", address, err)
		}
	}
	if took := time.Since(began); took > HashWait/2 {
		w.t.Errorf("%s is refused after %v", address, took)
	}
}

// asks fails the test unless a stranger from an address finds no place and is asked for work instead.
func (w *waiters) asks(address string) {
	w.t.Helper()
	w.accepts(LaneStrangers, address)
	before := w.q.waiting()
	place, err := w.q.Reserve(callerAt(w.t, address), LaneStrangers)
	if err != nil || !place.Crowded() || w.q.waiting() != before {
		w.t.Fatalf("%s: %v, %d of %d wait", address, err, before, w.q.waiting())
	}
	defer place.Leave()
	if err := place.take(w.t.Context()); !errors.Is(err, access.NotAvailable) {
		w.t.Errorf("%s gets a core: %v", address, err)
	}
}

// accepts fails the test unless there is a place for a caller from an address.
func (w *waiters) accepts(lane hashLane, address string) {
	w.t.Helper()
	if err := w.q.Room(callerAt(w.t, address), lane); err != nil {
		w.t.Errorf("%s: %v", address, err)
	}
}

// finish gives the core back and waits for all callers. It fails the test if a core or a place is not free then.
func (w *waiters) finish() {
	w.t.Helper()
	w.first.Leave()
	w.all.Wait()
	if w.q.free != 1 {
		w.t.Errorf("%d cores are free", w.q.free)
	}
	for lane, c := range w.q.crowds {
		if c.waiting != 0 || len(c.networks) != 0 || len(w.q.lanes[lane]) != 0 {
			w.t.Errorf("lane %d: %+v, %d places", lane, c, len(w.q.lanes[lane]))
		}
	}
}

func TestFourCallersOfANetworkMayWaitForAHash(t *testing.T) {
	t.Parallel()
	w := busyQueue(t)
	for i := range 4 {
		w.wait(LaneStrangers, fmt.Sprintf("2001:db8:7:1::%d", i), "first")
	}
	w.refuses(LaneStrangers, "2001:db8:7:1::9")
	w.accepts(LaneStrangers, "2001:db8:7:2::1")
	for range 4 {
		w.wait(LaneStrangers, "203.0.113.9", "IPv4")
	}
	w.refuses(LaneStrangers, "203.0.113.9")
	w.accepts(LaneStrangers, "203.0.113.10")
	w.finish()
}

func TestEightCallersOfAWiderNetworkMayWaitForAHash(t *testing.T) {
	t.Parallel()
	w := busyQueue(t)
	for i := range 8 {
		w.wait(LaneStrangers, fmt.Sprintf("2001:db8:7:%d::1", i), "IPv6")
		w.wait(LaneStrangers, fmt.Sprintf("203.0.113.%d", i), "IPv4")
	}
	w.refuses(LaneStrangers, "2001:db8:7:99::1")
	w.accepts(LaneStrangers, "2001:db8:8:1::1")
	w.refuses(LaneStrangers, "203.0.113.99")
	w.accepts(LaneStrangers, "203.0.114.1")
	w.finish()
}

func TestThirtyTwoCallersOfAProviderMayWaitForAHash(t *testing.T) {
	t.Parallel()
	w := busyQueue(t)
	for i := range 32 {
		w.wait(LaneStrangers, fmt.Sprintf("2001:db8:%d:1::1", i), "IPv6")
	}
	w.asks("2001:db8:99:1::1")
	w.accepts(LaneStrangers, "2001:db9:1:1::1")
	w.finish()
}

// No network gets more than half of the 64 places of the real queue, which is 32 as well. A larger queue shows the
// limit of a provider's network itself.
func TestThirtyTwoCallersOfAProviderMayWaitInALargerQueue(t *testing.T) {
	c := newCrowd(1000, true, 1)
	for i := range 33 {
		from := access.Networks(fmt.Sprintf("2001:db8:%d:1::1", i))
		if got, want := c.hasRoom(from, 1), i < 32; got != want {
			t.Errorf("room for caller %d: %v", i+1, got)
		}
		c.add(from)
	}
}

func TestProvenCallersOfANetworkHaveFourTimesThePlaces(t *testing.T) {
	t.Parallel()
	w := busyQueue(t)
	for range 16 {
		w.wait(LaneProven, "203.0.113.9", "an office")
	}
	w.refuses(LaneProven, "203.0.113.9")
	w.accepts(LaneProven, "203.0.113.10")
	w.finish()
}

func TestNoNetworkOfProvenCallersHasMoreThanHalfOfThePlaces(t *testing.T) {
	t.Parallel()
	w := busyQueue(t)
	for i := range 32 {
		w.wait(LaneProven, fmt.Sprintf("2001:db8:%d:1::1", i), "a person with many accounts")
	}
	w.refuses(LaneProven, "2001:db8:99:1::1")
	w.accepts(LaneProven, "2001:db9:1:1::1")
	w.finish()
}

func TestEachLaneHasItsOwnPlaces(t *testing.T) {
	t.Parallel()
	w := busyQueue(t)
	for i := range 64 {
		next, err := w.q.Reserve(callerAt(t, fmt.Sprintf("10.%d.0.1", i)), LaneStrangers)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := next.Crowded(), i >= 8; got != want {
			t.Errorf("crowded with %d others: %v", i, got)
		}
		next.Leave()
		w.wait(LaneStrangers, fmt.Sprintf("10.%d.0.1", i), "a stranger")
	}
	w.asks("198.51.100.1")
	for i := range 64 {
		w.wait(LaneWorked, fmt.Sprintf("10.%d.0.1", i), "one who has worked")
	}
	w.refuses(LaneWorked, "198.51.100.1")
	for i := range 64 {
		w.wait(LaneProven, fmt.Sprintf("10.%d.0.1", i), "a known one")
	}
	w.refuses(LaneProven, "198.51.100.1")
	w.finish()
}

func TestWhoHasWorkedComesBeforeWhoHasNot(t *testing.T) {
	t.Parallel()
	w := busyQueue(t)
	for i := range 20 {
		w.wait(LaneStrangers, fmt.Sprintf("10.%d.0.1", i), "stranger")
	}
	for i := range 3 {
		w.wait(LaneWorked, fmt.Sprintf("10.%d.0.1", i), "worked")
		w.wait(LaneProven, fmt.Sprintf("10.%d.0.1", i), "known")
	}
	w.finish()
	for i, name := range []string{"worked", "known", "worked", "known", "worked", "known", "stranger"} {
		if w.order[i] != name {
			t.Fatalf("%q", w.order)
		}
	}
}

func TestTheLanesTakeTurns(t *testing.T) {
	t.Parallel()
	w := busyQueue(t)
	for i := range 6 {
		w.wait(LaneStrangers, fmt.Sprintf("10.%d.0.1", i), "stranger")
	}
	for range 2 {
		w.wait(LaneProven, homeIP, "known")
	}
	w.finish()
	if second := slices.Index(w.order[2:], "known"); !slices.Contains(w.order[:2], "known") || second > 1 {
		t.Errorf("%q", w.order)
	}
}

const homeIP = "203.0.113.10"

func TestAQueueThatIsNotFairLimitsNoNetwork(t *testing.T) {
	t.Parallel()
	w := takeOnlyCore(t, newHashQueue(1, false))
	for range 64 {
		w.wait(LaneStrangers, homeIP, "one")
	}
	w.asks(homeIP)
	w.finish()
}

func TestNobodyWaitsForACoreLongerThanTwoSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := busyQueue(t)
		began := time.Now()
		_, err := hashAt(callerAt(t, homeIP), w.q, LaneStrangers)
		if took := time.Since(began); !errors.Is(err, access.NotAvailable) || took != 2*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		w.finish()
	})
}

func TestACallerThatDisconnectsFreesItsPlace(t *testing.T) {
	t.Parallel()
	w := busyQueue(t)
	ctx, cancel := context.WithCancel(callerAt(t, homeIP))
	cancel()
	if _, err := hashAt(ctx, w.q, LaneStrangers); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	w.finish()
}

func TestNoCoreIsLostWhenAPlaceIsFreedAsItsTurnComes(t *testing.T) {
	t.Parallel()
	q := newHashQueue(2, false)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			for j := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				go cancel()
				if leave, err := hashAt(ctx, q, hashLane((i+j)%2)); err == nil {
					leave()
				}
			}
		})
	}
	all.Wait()
	if q.free != 2 || q.crowds[LaneProven].waiting != 0 || q.crowds[LaneStrangers].waiting != 0 {
		t.Errorf("%d cores are free, %+v", q.free, q.crowds)
	}
}

func TestAPlaceIsTakenBeforeAnAttemptIsCounted(t *testing.T) {
	t.Parallel()
	w := busyQueue(t)
	w.first.Leave() // a core is free: four times as many
	var places []*hashPlace
	for range 16 {
		place, err := w.q.Reserve(callerAt(t, homeIP), LaneStrangers)
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, place)
	}
	w.refuses(LaneStrangers, homeIP)
	if err := places[0].take(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, place := range places[1:] {
		if left := 15 - i; left < 4 {
			w.accepts(LaneStrangers, homeIP)
		} else {
			w.refuses(LaneStrangers, homeIP)
		}
		place.Leave()
		place.Leave()
	}
	places[0].Leave()
	w.finish()
}

func TestAPauseTakesAsLongAsAHashAndUsesNoCore(t *testing.T) {
	t.Parallel()
	w := busyQueue(t)
	w.q.noteDelay(delay{hash: 60 * time.Millisecond})
	began := time.Now()
	if err := w.q.Pause(callerAt(t, homeIP), "a password"); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took < 60*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	w.finish()
}

func TestAPauseIsAsLongAsOneOfTheLastSixtyFourHashes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newHashQueue(1, true)
		longest := func() (longest time.Duration) {
			for range 3000 { // each pause picks one at random
				began := time.Now()
				if err := q.Pause(callerAt(t, homeIP), "a password"); err != nil {
					t.Fatal(err)
				}
				longest = max(longest, time.Since(began))
			}
			return longest
		}
		q.noteDelay(delay{hash: time.Minute})
		for range 63 {
			q.noteDelay(delay{hash: time.Second})
		}
		if got := longest(); got != time.Minute {
			t.Errorf("of 64 hashes the longest pause is %v", got)
		}
		q.noteDelay(delay{hash: time.Second})
		if got := longest(); got != time.Second {
			t.Errorf("the longest pause is %v after 64 more hashes of a second", got)
		}
	})
}

// A pasted password is compared in several spellings. An account that waits must not answer sooner than one whose
// password is compared.
func TestAPauseTakesAsLongAsAWrongPasswordOfSeveralSpellings(t *testing.T) {
	t.Parallel()
	for password, spelled := range map[string]int64{
		"Grain2024": 1, " Grain2024": 2, "Grain2024\u200b": 2, "Ｇｒａｉｎ２０２４": 2, "  ": 1,
	} {
		synctest.Test(t, func(t *testing.T) {
			h, err := NewHasher(HashCost{Memory: 8, Passes: 1, Threads: 1}, true)
			if err != nil {
				t.Fatal(err)
			}
			place, err := h.Queue.Reserve(callerAt(t, homeIP), LaneStrangers)
			if err != nil {
				t.Fatal(err)
			}
			if right, _, err := h.VerifyAt(t.Context(), place, "", password); right != "" || err != nil {
				t.Fatalf("%q: %q, %v", password, right, err)
			}
			hashes := h.hashes.Load()
			if hashes != spelled {
				t.Errorf("%q: a wrong password takes %d hashes", password, hashes)
			}
			const wait, hash = time.Second, time.Minute
			for range delaysKept {
				h.Queue.noteDelay(delay{wait: wait, hash: hash})
			}
			began := time.Now()
			if err := h.Queue.Pause(callerAt(t, homeIP), password); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took != wait+time.Duration(hashes)*hash {
				t.Errorf("%q: a pause takes %v for %d hashes", password, took, hashes)
			}
		})
	}
}

// The clock of the test stands still while a password is hashed.
func TestTheWaitForACoreIsNotedApartFromTheHashes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := busyQueue(t)
		h := &hasher{cost: HashCost{Memory: 8, Passes: 1, Threads: 1}, Queue: w.q}
		h.nobody = encodePHC(h.cost, make([]byte, saltBytes), make([]byte, hashBytes))
		place, err := w.q.Reserve(callerAt(t, homeIP), LaneStrangers)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, w.first.Leave)
		if _, _, err := h.VerifyAt(t.Context(), place, "", " pasted"); err != nil {
			t.Fatal(err)
		}
		if got, want := w.q.delays[0], (delay{wait: time.Second}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		w.finish()
	})
}

func TestFourCallersOfANetworkMayPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newHashQueue(1, true)
		q.noteDelay(delay{hash: time.Minute})
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := q.Pause(callerAt(t, homeIP), "a password"); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if err := q.Pause(callerAt(t, homeIP), "a password"); !errors.Is(err, access.NotAvailable) {
			t.Errorf("the fifth: %v", err)
		}
		all.Wait()
		if q.pauses.waiting != 0 {
			t.Errorf("%d pause still", q.pauses.waiting)
		}
	})
}

func TestACallerThatDisconnectsEndsItsPause(t *testing.T) {
	t.Parallel()
	q := newHashQueue(1, true)
	q.noteDelay(delay{hash: time.Minute})
	ctx, cancel := context.WithCancel(callerAt(t, homeIP))
	cancel()
	if err := q.Pause(ctx, "a password"); !errors.Is(err, context.Canceled) || q.pauses.waiting != 0 {
		t.Errorf("%v, %d pause still", err, q.pauses.waiting)
	}
}
