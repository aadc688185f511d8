package store

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"portico/store/pool"
)

// step runs an operation of a request that takes some time, and returns how much time it may take.
func step(ctx context.Context, takes time.Duration) (may time.Duration, err error) {
	db := &DB{atOnce: pool.NewCounter(), observed: new(pool.Observed)}
	err = db.bounded(ctx, func(ctx context.Context) error {
		ends, _ := ctx.Deadline()
		may = time.Until(ends)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(takes):
			return nil
		}
	})
	return may, err
}

func TestOperationsOfOneRequestHaveThreeSecondsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := InRequest(t.Context(), Networks{})
		wantStep := func(ctx context.Context, takes, may time.Duration, want error) {
			t.Helper()
			if got, err := step(ctx, takes); got != may || !errors.Is(err, want) {
				t.Errorf("the operation may take %s and ends with %v, want %s and %v", got, err, may, want)
			}
		}
		wantStep(ctx, time.Second, 3*time.Second, nil)
		time.Sleep(time.Hour) // the time that a request spends elsewhere does not count
		wantStep(ctx, 1500*time.Millisecond, 2*time.Second, nil)
		wantStep(AfterRequest(ctx), 501*time.Millisecond, 500*time.Millisecond, ErrBusy)
		wantStep(ctx, time.Minute, 500*time.Millisecond, ErrBusy)
		wantStep(ctx, 0, 0, ErrBusy)
		wantStep(AfterRequest(ctx), 499*time.Millisecond, 500*time.Millisecond, nil) // for tidying up
		RenewTime(ctx)
		wantStep(ctx, time.Minute, 3*time.Second, ErrBusy)
	})
}

func TestSQLiteThatCanLoseDataIsTooOld(t *testing.T) {
	for number, want := range map[int]bool{3_051_002: true, 3_051_003: false} {
		if got := isTooOld(number); got != want {
			t.Errorf("%d: %t", number, got)
		}
	}
}
