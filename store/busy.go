package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
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

	// OperationsNarrow, OperationsMiddle and OperationsWide are how many of them may come from one network of that
	// width. Without them one caller with many connections would use up OperationsAtOnce, and everybody else would be
	// refused.
	OperationsNarrow = 64
	OperationsMiddle = 128
	OperationsWide   = 192
)

var operationsOf = [...]int{OperationsNarrow, OperationsMiddle, OperationsWide}

// Networks are the networks of a caller, from narrow to wide.
type Networks [len(operationsOf)]string

// ErrBusy says that the database did not answer in time, or that too many requests wait for it. Nothing was written,
// except that a transaction which was being committed may have been.
var ErrBusy = errors.New("store: the database is busy")

// request is what the operations of one request share. Once one of them was too slow, the rest are refused at once, so
// that the request is answered in time.
type request struct {
	from    Networks
	tooSlow atomic.Bool
}

type requestKey struct{}

// InRequest marks the context of a request that a person waits for: OperationTime, OperationsAtOnce and the limits of
// the caller's networks hold for its operations. They do not hold for migrations, sweeps, backups and commands. The
// zero Networks has no limits of its own.
func InRequest(ctx context.Context, from Networks) context.Context {
	return context.WithValue(ctx, requestKey{}, &request{from: from})
}

// AfterRequest returns a context for what a request has to tidy up. It does not end with the request, and an operation
// that was too slow before does not refuse it.
func AfterRequest(ctx context.Context) context.Context {
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil {
		return context.WithoutCancel(ctx)
	}
	return InRequest(context.WithoutCancel(ctx), r.from)
}

// operations counts the operations of requests that run or wait, in all and by network.
type operations struct {
	mu       sync.Mutex
	all      int
	networks map[operationsFrom]int
}

type operationsFrom struct {
	width   int
	network string
}

func newOperations() *operations { return &operations{networks: map[operationsFrom]int{}} }

// begin counts one more operation. It counts nothing and returns false when there are too many.
func (o *operations) begin(from Networks) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all >= OperationsAtOnce {
		return false
	}
	for width, network := range from {
		if network != "" && o.networks[operationsFrom{width, network}] >= operationsOf[width] {
			return false
		}
	}
	o.all++
	for width, network := range from {
		o.networks[operationsFrom{width, network}]++
	}
	return true
}

func (o *operations) end(from Networks) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all--
	for width, network := range from {
		key := operationsFrom{width, network}
		if o.networks[key]--; o.networks[key] == 0 {
			delete(o.networks, key)
		}
	}
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
	if !db.atOnce.begin(r.from) {
		return ErrBusy
	}
	defer db.atOnce.end(r.from)
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
