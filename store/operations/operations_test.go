package operations

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// begun returns how many operations begin, when 300 try from the networks that next returns.
func begun(next func(n int) Networks) (many int) {
	o := New()
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
