package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"portico/store/dberror"
	"portico/store/pool"
)

const (
	// OperationTime is how long the statements and transactions of one request may take together, including the waits
	// for a connection and the tries after an error.
	OperationTime = 3 * time.Second
	// TidyTime is the least time that they have for tidying up after a request that has used up its time
	// (AfterRequest).
	TidyTime = 500 * time.Millisecond
)

// Networks are the networks of a caller, from narrow to wide.
type Networks = pool.Networks

// ErrBusy says that the database did not answer in time, or that too many requests wait for it. Nothing was written,
// except that a transaction which was being committed may have been.
var ErrBusy = errors.New("store: the database is busy")

// request is what the operations of one request share. Once they have used up its time, the rest are refused at once,
// so that the request is answered in time. The time that a request spends elsewhere does not count.
type request struct {
	from Networks
	left atomic.Int64 // of OperationTime, in nanoseconds

	replica pool.Request
}

func newRequest(from Networks, left time.Duration) *request {
	r := &request{from: from}
	r.left.Store(int64(left))
	return r
}

type requestKey struct{}

// InRequest marks the context of a request that a person waits for: OperationTime and the limits of the package
// operations hold for its statements and transactions. They do not hold for migrations, sweeps, backups and commands.
// The zero Networks has no limits of its own.
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

// RenewTime gives a request OperationTime again, for one that takes many steps. Each step is bounded.
func RenewTime(ctx context.Context) {
	if r, _ := ctx.Value(requestKey{}).(*request); r != nil {
		r.left.Store(int64(OperationTime))
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
	if left <= 0 {
		return db.observed.Refuse(pool.OutOfTime, ErrBusy)
	} else if !db.atOnce.Begin(r.from) {
		return db.observed.Refuse(pool.TooManyAtOnce, ErrBusy)
	}
	defer db.atOnce.End(r.from)
	limited, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	start := time.Now()
	err := canceled(ctx, f(limited))
	r.left.Add(-int64(time.Since(start)))
	outOfTime := errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil
	if err != nil && (outOfTime || dberror.IsLocked(err)) {
		r.left.Store(0)
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

// Writable commits a change of one row: a full disk lets a transaction begin and refuses its commit.
func (db *DB) Writable(ctx context.Context) error {
	write := func(tx *DB) error {
		_, err := tx.exec(ctx, `INSERT INTO leases (name, holder, until) VALUES ('ready', '', 1)
			ON CONFLICT (name) DO UPDATE SET until = leases.until + 1`)
		return err
	}
	if db.postgres {
		return write(db)
	}
	return db.Tx(ctx, write)
}
