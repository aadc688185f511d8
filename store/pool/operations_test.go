package pool

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/e2e/testscope"
)

// begun returns how many operations begin, when 300 try from the networks that next returns.
func begun(next func(n int) Networks) (many int) {
	o := NewCounter()
	for n := range 300 {
		if o.Begin(next(n)) {
			many++
		}
	}
	return many
}

func TestOperationsAtTheSameTimeAreLimited(t *testing.T) {
	for name, c := range map[string]struct {
		next func(n int) Networks
		want int
	}{
		"from one address":        {func(int) Networks { return Networks{"a", "b", "c"} }, 64},
		"from one narrow network": {func(n int) Networks { return Networks{fmt.Sprint(n), "b", "c"} }, 128},
		"from one wide network":   {func(n int) Networks { return Networks{fmt.Sprint(n), fmt.Sprint(n), "c"} }, 192},
		"from everywhere": {
			func(n int) Networks { return Networks{fmt.Sprint(n), fmt.Sprint(n), fmt.Sprint(n)} }, 256,
		},
		"without networks": {func(int) Networks { return Networks{} }, 256},
	} {
		if got := begun(c.next); got != c.want {
			t.Errorf("%s: %d operations run at once, want %d", name, got, c.want)
		}
	}
}

// Operations of one second and more are slow. At most one a second is reported.
func TestSlowStatementsAreReportedOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var mu sync.Mutex // guards reported
		var reported []time.Duration
		o := &Observed{Observer: Observer{Slow: func(context.Context, string, time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			reported = append(reported, time.Since(began))
		}}}
		var running sync.WaitGroup
		run := func(after, takes time.Duration) {
			running.Go(func() {
				time.Sleep(after)
				_ = o.Run(t.Context(), Read, func(context.Context) error {
					time.Sleep(takes)
					return nil
				})
			})
		}
		run(0, time.Second-1) // too short
		run(time.Second, time.Second)
		run(2*time.Second-1, time.Second) // less than one second after the last
		run(2*time.Second, time.Second)
		running.Wait()
		if len(reported) != 2 || reported[0] != 2*time.Second || reported[1] != 3*time.Second {
			t.Errorf("reported after %v", reported)
		}
	})
}

func TestOperationsOfManyGoroutinesAreCounted(t *testing.T) {
	t.Parallel()
	o := NewCounter()
	networks := []Networks{{"203.0.113.1", "203.0.113.0", "203.0.0.0"}, {"198.51.100.1", "198.51.100.0", "198.51.0.0"}}
	testscope.Together(8, 1000, func(goroutine, i int) {
		if goroutine == 0 { // only reads
			if n := o.Now(); n < 0 || n > 7 {
				t.Errorf("%d operations of seven goroutines", n)
			}
			return
		}
		from := networks[(goroutine+i)%len(networks)]
		if !o.Begin(from) {
			t.Error("seven at a time are too many")
			return
		}
		o.End(from)
	})
	if n := o.Now(); n != 0 || len(o.networks) != 0 {
		t.Errorf("%d operations of %d networks are left", n, len(o.networks))
	}
}

func TestOperationsThatBeginAtTheSameTimeStayWithinTheLimit(t *testing.T) {
	t.Parallel()
	o := NewCounter()
	var begun atomic.Int64
	testscope.Together(8, 100, func(int, int) {
		if o.Begin(Networks{"203.0.113.1", "203.0.113.0", "203.0.0.0"}) {
			begun.Add(1)
		}
	})
	if n := begun.Load(); n != 64 || o.Now() != 64 {
		t.Errorf("%d operations of one address have begun, %d are counted", n, o.Now())
	}
}
