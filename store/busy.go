package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mattn/go-sqlite3"
)

const (
	// OperationTime is how long one statement or transaction of a request may take, including the wait for a
	// connection.
	OperationTime = 3 * time.Second
	// OperationsAtOnce is how many statements and transactions of requests may run or wait at the same time. Each
	// further one is refused at once.
	OperationsAtOnce = 256
)

// ErrBusy says that the database did not answer in time, or that too many requests wait for it. Nothing was written,
// except that a transaction which was being committed may have been.
var ErrBusy = errors.New("store: the database is busy")

// request is what the operations of one request share. Once one of them was too slow, the rest are refused at once, so
// that the request is answered in time.
type request struct{ tooSlow atomic.Bool }

type requestKey struct{}

// InRequest marks the context of a request that a person waits for: OperationTime and OperationsAtOnce hold for its
// operations. They do not hold for migrations, sweeps, backups and commands.
func InRequest(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, new(request))
}

// bounded runs one operation within the limits of a request. f gets a context that ends when its time is over.
func (db *DB) bounded(ctx context.Context, f func(ctx context.Context) error) error {
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil {
		return f(ctx)
	}
	if db.tx != nil { // the transaction was admitted and has its own time limit
		limited, cancel := context.WithDeadline(ctx, db.until)
		defer cancel()
		return f(limited)
	}
	if r.tooSlow.Load() {
		return ErrBusy
	}
	if db.atOnce.Add(1) > OperationsAtOnce {
		db.atOnce.Add(-1)
		return ErrBusy
	}
	defer db.atOnce.Add(-1)
	limited, cancel := context.WithTimeout(ctx, OperationTime)
	defer cancel()
	err := f(limited)
	outOfTime := errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil
	if err != nil && (outOfTime || locked(err)) {
		r.tooSlow.Store(true)
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

// locked says whether SQLite gave up waiting for another process's write lock.
func locked(err error) bool {
	lite := sqlite3.Error{}
	return errors.As(err, &lite) && (lite.Code == sqlite3.ErrBusy || lite.Code == sqlite3.ErrLocked)
}

// Writable begins a transaction and rolls it back, to find out whether the database accepts writes now.
func (db *DB) Writable(ctx context.Context) error {
	tx, err := db.write.BeginTxx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(ctx, "UPDATE leases SET until = until WHERE name = ''")
	return err
}
