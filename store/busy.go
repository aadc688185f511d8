package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// OperationTime is how long the statements and transactions of one request may take together, including the waits
	// for a connection and the tries after an error.
	OperationTime = 3 * time.Second
	// TidyTime is the least time that they have for tidying up after a request that has used up its time
	// (AfterRequest).
	TidyTime = 500 * time.Millisecond
	// OperationsAtOnce is how many statements and transactions of requests may run or wait at the same time. Each
	// further one is refused at once.
	OperationsAtOnce = 256

	// OperationsNarrow, OperationsMiddle and OperationsWide are how many of them may come from one network of that
	// width. Without these limits, one caller with many connections could use up OperationsAtOnce, and all other
	// callers would be refused.
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

// request is what the operations of one request share. Once they have used up its time, the rest are refused at once,
// so that the request is answered in time. The time that a request spends elsewhere does not count.
type request struct {
	from Networks
	left atomic.Int64 // of OperationTime, in nanoseconds
}

func newRequest(from Networks, left time.Duration) *request {
	r := &request{from: from}
	r.left.Store(int64(left))
	return r
}

type requestKey struct{}

// InRequest marks the context of a request that a person waits for: OperationTime, OperationsAtOnce and the limits of
// the caller's networks hold for its operations. They do not hold for migrations, sweeps, backups and commands. The
// zero Networks has no limits of its own.
func InRequest(ctx context.Context, from Networks) context.Context {
	return context.WithValue(ctx, requestKey{}, newRequest(from, OperationTime))
}

// AfterRequest returns a context for what a request has to tidy up. It does not end with the request, and has a little
// time when the request has none left.
func AfterRequest(ctx context.Context) context.Context {
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil {
		return context.WithoutCancel(ctx)
	}
	left := max(time.Duration(r.left.Load()), TidyTime)
	return context.WithValue(context.WithoutCancel(ctx), requestKey{}, newRequest(r.from, left))
}

// operations counts the operations of requests that run or wait now, in total and by network.
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
		return canceled(ctx, f(ctx))
	}
	if db.tx != nil { // the transaction was admitted and has its own time limit
		limited, cancel := context.WithDeadline(ctx, db.deadline)
		defer cancel()
		return canceled(ctx, f(limited))
	}
	left := time.Duration(r.left.Load())
	if left <= 0 || !db.atOnce.begin(r.from) {
		return ErrBusy
	}
	defer db.atOnce.end(r.from)
	limited, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	start := time.Now()
	err := canceled(ctx, f(limited))
	r.left.Add(-int64(time.Since(start)))
	outOfTime := errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil
	if err != nil && (outOfTime || locked(err)) {
		r.left.Store(0)
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

// Writable finds out whether the database accepts writes now, and changes nothing. SQLite is asked for its write lock.
func (db *DB) Writable(ctx context.Context) error {
	write := func(tx *DB) error {
		_, err := tx.exec(ctx, "UPDATE leases SET until = until WHERE name = ''")
		return err
	}
	if db.postgres {
		return write(db)
	}
	return db.Tx(ctx, write)
}
