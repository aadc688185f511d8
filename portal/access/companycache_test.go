package access

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/store"
)

// lookUps is a company cache that counts how often it reads each key.
type lookUps struct {
	*companyCache
	reads map[string]int
}

func newLookUps() lookUps { return lookUps{newCompanyCache(), map[string]int{}} }

// lookUp gets a company by its key. found is the error of reading it; the cache must return the same.
func (l lookUps) lookUp(t *testing.T, key string, now time.Time, found error) {
	t.Helper()
	_, err := l.get(key, now, func() (store.Company, error) {
		l.reads[key]++
		return store.Company{}, found
	})
	if !errors.Is(err, found) {
		t.Fatalf("%s: %v", key, err)
	}
}

// size returns the number of cached companies.
func (l lookUps) size() int { return len(l.newer) + len(l.older) }

func TestACompanyIsReadOnceASecondDuringAFloodOfOtherHosts(t *testing.T) {
	t.Parallel()
	l := newLookUps()
	start, largest := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC), 0
	for i := range 50_000 { // in 10 seconds
		now := start.Add(time.Duration(i) * 200 * time.Microsecond)
		l.lookUp(t, fmt.Sprint("#", i+5000), now, store.ErrNotFound)
		if i%1000 == 0 {
			l.lookUp(t, "#1001", now, nil)
		}
		largest = max(largest, l.size())
	}
	if largest != 4096 { // two generations of 2048
		t.Errorf("%d entries were cached", largest)
	}
	if n := l.reads["#1001"]; n != 10 {
		t.Errorf("the company was read %d times in 10 seconds", n)
	}
}

func TestAnUnknownCompanyIsLookedUpOnceASecond(t *testing.T) {
	t.Parallel()
	l := newLookUps()
	start := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	for i := range 3000 { // in 3 seconds
		l.lookUp(t, "#9999", start.Add(time.Duration(i)*time.Millisecond), store.ErrNotFound)
	}
	if n := l.reads["#9999"]; n != 3 {
		t.Errorf("%d look-ups", n)
	}
}

func TestACachedCompanyExpiresAlsoWhenItIsUsed(t *testing.T) {
	t.Parallel()
	l := newLookUps()
	start := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	at := func(after time.Duration) { l.lookUp(t, "#1001", start.Add(after), nil) }
	at(0)
	for i := range 5000 { // pushes the company into the older generation
		if l.lookUp(t, fmt.Sprint("#", i), start.Add(time.Millisecond), nil); i%100 == 0 {
			at(time.Millisecond)
		}
	}
	at(999 * time.Millisecond)
	if n := l.reads["#1001"]; n != 1 {
		t.Errorf("%d reads within a second", n)
	}
	at(time.Second)
	if n := l.reads["#1001"]; n != 2 {
		t.Errorf("%d reads after a second", n)
	}
}

func TestUnusedCompaniesLeaveTheCache(t *testing.T) {
	t.Parallel()
	l := newLookUps()
	start := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	for i := range 2000 {
		l.lookUp(t, fmt.Sprint("#", i), start, nil)
	}
	for second := range 3 {
		l.lookUp(t, "#1001", start.Add(time.Duration(second)*time.Second), nil)
	}
	if n := l.size(); n > 2 {
		t.Errorf("%d entries are cached", n)
	}
}

func TestAFailedLookUpIsNotCached(t *testing.T) {
	t.Parallel()
	l, now, broken := newLookUps(), time.Now(), errors.New("broken")
	l.lookUp(t, "#1001", now, broken)
	l.lookUp(t, "#1001", now, nil)
	l.Forget()
	l.lookUp(t, "#1001", now, nil)
	if n := l.reads["#1001"]; n != 3 {
		t.Errorf("%d reads", n)
	}
}
