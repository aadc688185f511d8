package store_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"portico/server/tracing"
	"portico/store"
	"portico/store/pool"
	"portico/store/storetest"
)

// seen counts what an observer is told.
type seen struct {
	mu    sync.Mutex
	count map[string]int
	slow  []string
}

func (s *seen) add(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[what]++
}

func (s *seen) of(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[what]
}

func watch(db *store.DB) *seen {
	s := &seen{count: map[string]int{}}
	db.Observe(pool.Observer{
		Done:     func(kind pool.Kind, _ time.Duration) { s.add("done " + string(kind)) },
		Failed:   func(class string) { s.add("failed " + class) },
		Repeated: func(kind pool.Kind) { s.add("repeated " + string(kind)) },
		Refused:  func(reason pool.Refusal) { s.add("refused " + string(reason)) },
		Slow: func(_ context.Context, name string, _ time.Duration) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.slow = append(s.slow, name)
		},
	})
	return s
}

func TestObserverLearnsHowOperationsEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := watch(db)
		if _, err := db.Companies.ByID(t.Context(), 1); !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
		if _, err := db.Leases.Take(t.Context(), "a", "b", now, now+1); err != nil {
			t.Fatal(err)
		}
		if s.of("done read") != 1 || s.of("done write") == 0 {
			t.Errorf("%v", s.count)
		}
		for what := range s.count {
			if strings.HasPrefix(what, "failed") {
				t.Errorf("a row that is not there is %q", what)
			}
		}
		db.RunTwice()
		if err := db.Tx(t.Context(), func(*store.DB) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if s.of("repeated transaction") != 1 || s.of("done transaction") != 1 {
			t.Errorf("%v", s.count)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = db.Companies.ByID(ctx, 1)
		if s.of("failed cancelled") != 1 {
			t.Errorf("a caller who has gone: %v", s.count)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		<-ctx.Done()
		_, _ = db.Companies.ByID(ctx, 1)
		if s.of("failed timeout") != 1 {
			t.Errorf("no time: %v", s.count)
		}
	})
}

func TestObserverLearnsThatOperationsAreSlowAndRefused(t *testing.T) {
	db := storetest.SQLite(t)
	s := watch(db)
	held, release := make(chan struct{}), make(chan struct{})
	go func() {
		_ = db.Tx(context.Background(), func(*store.DB) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	defer close(release)
	ctx := store.InRequest(t.Context(), store.Networks{})
	if _, err := db.Leases.Take(ctx, "slow", "a", now, now+1); !errors.Is(err, store.ErrBusy) {
		t.Fatal(err)
	}
	if s.of("failed timeout")+s.of("failed locked") != 1 || len(s.slow) != 1 || s.slow[0] != "Lease.Take" {
		t.Errorf("%v %v", s.count, s.slow)
	}
	if _, err := db.Companies.ByID(ctx, 1); !errors.Is(err, store.ErrBusy) || s.of("refused no_time") != 1 {
		t.Errorf("%v %v", err, s.count)
	}
	one := store.Networks{"198.51.100.1", "", ""}
	occupy(t, db, one, pool.Narrow)
	_, err := db.Companies.ByID(store.InRequest(t.Context(), one), 1)
	if !errors.Is(err, store.ErrBusy) || s.of("refused too_many") != 1 {
		t.Errorf("%v %v", err, s.count)
	}
	if n := db.OperationsNow(); n < pool.Narrow {
		t.Errorf("%d operations wait", n)
	}
}

// The errors of databases quote values, so a span has the class of an error instead of its text.
func TestSpansOfStatementsHaveNamesAndClassesOnly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		recorder := tracetest.NewSpanRecorder()
		tracer := tracing.NewTracer(trace.NewTracerProvider(trace.WithSpanProcessor(recorder)))
		ctx, job := tracer.Job(t.Context(), "test")
		const canary = "canary-value"
		_ = db.Tx(ctx, func(tx *store.DB) error {
			_, err := tx.Leases.Take(ctx, canary, canary, now, now+1)
			return err
		})
		_, _ = db.Hosts.ByName(ctx, canary)
		job.End("")
		names := map[string]bool{}
		for _, span := range recorder.Ended() {
			names[span.Name()] = true
			for _, a := range span.Attributes() {
				if strings.Contains(a.Value.String(), canary) || strings.Contains(a.Value.String(), "SELECT") {
					t.Errorf("%s has %v", span.Name(), a)
				}
			}
		}
		for _, want := range []string{
			"Lease.Take", "Host.ByName", "store_test.TestSpansOfStatementsHaveNamesAndClassesOnly",
		} {
			if !names[want] {
				t.Errorf("no span %s: %v", want, names)
			}
		}
	})
}
