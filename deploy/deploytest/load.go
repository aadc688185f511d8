package deploytest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Load is a flow of requests at a constant rate. It starts each one in time, however long earlier ones take.
type Load struct {
	stop   context.CancelFunc
	ended  chan struct{}
	mu     sync.Mutex
	times  []time.Duration // of successful requests
	failed []Failure
}

// Failure is a request that went wrong.
type Failure struct {
	At  time.Time // when it ended
	Err error
}

// StartLoad calls step perSecond times a second until Stop. step gets the number of the call, from 0.
func StartLoad(perSecond int, step func(ctx context.Context, number int) error) *Load {
	ctx, stop := context.WithCancel(context.Background())
	l := &Load{stop: stop, ended: make(chan struct{})}
	go l.run(ctx, time.Second/time.Duration(perSecond), step)
	return l
}

func (l *Load) run(ctx context.Context, pause time.Duration, step func(context.Context, int) error) {
	defer close(l.ended)
	var running sync.WaitGroup
	defer running.Wait()
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for number := 0; ; number++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		running.Go(func() {
			began := time.Now()
			l.note(began, step(context.Background(), number))
		})
	}
}

func (l *Load) note(began time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.failed = append(l.failed, Failure{time.Now(), err})
		return
	}
	l.times = append(l.times, time.Since(began))
}

// Stop ends the load and waits for the requests that are on their way.
func (l *Load) Stop() Result {
	l.stop()
	<-l.ended
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(l.times)
	return Result{l.times, l.failed}
}

// Done returns how many requests have ended so far, well and badly.
func (l *Load) Done() (well, badly int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.times), len(l.failed)
}

// Result is what became of the requests of a load.
type Result struct {
	Times  []time.Duration // of successful requests, shortest first
	Failed []Failure
}

// String says how many requests there were, how many failed, and how long the successful ones took.
func (r Result) String() string {
	text := fmt.Sprintf("%d requests, %d failed", len(r.Times)+len(r.Failed), len(r.Failed))
	if n := len(r.Times); n > 0 {
		text += fmt.Sprintf(", median %d ms, slowest %d ms", r.Times[n/2].Milliseconds(), r.Times[n-1].Milliseconds())
	}
	for i, failure := range r.Failed {
		if i == maxFailuresShown {
			return text + "\n  …"
		}
		text += fmt.Sprintf("\n  %s %v", failure.At.Format("15:04:05.000"), failure.Err)
	}
	return text
}

// maxFailuresShown is how many failures a result prints.
const maxFailuresShown = 10
