package store

import (
	"context"
	"errors"

	"github.com/jmoiron/sqlx"

	"portico/store/pool"
)

// UseReplica makes lists be read from a replica at an address (postgres://…) where a request allows it. It must be
// called before the database is used by several goroutines, and only for Postgres. The caller runs the replica's Watch.
func (db *DB) UseReplica(address string, limits pool.Limits) (*pool.Replica, error) {
	r, err := pool.OpenReplica(address, limits, db.probe)
	if err != nil {
		return nil, err
	}
	r.Done = func(outcome pool.Outcome) {
		if db.observed.Replica != nil {
			db.observed.Replica(outcome)
		}
	}
	db.replica = r
	db.withTables()
	return r, nil
}

// replicaRequest returns what a request (InRequest) does with the replica. Outside a request nothing remembers it.
func replicaRequest(ctx context.Context) *pool.Request {
	if r, _ := ctx.Value(requestKey{}).(*request); r != nil {
		return &r.replica
	}
	return new(pool.Request)
}

// AllowReplica lets the lists of a request (InRequest) come from a replica that has everything up to a moment: the last
// change of the person who reads, which Changed returned. 0 is for a person who has changed nothing.
func AllowReplica(ctx context.Context, since Instant) { replicaRequest(ctx).Allow(int64(since)) }

// Changed returns a moment after the last change that a request made, by the clock of the database. It is 0 when it
// made none, and always without a replica.
func Changed(ctx context.Context) Instant { return Instant(replicaRequest(ctx).Changed()) }

// ListsAsOf returns the moment up to which the lists that a request has read are complete; 0 for now.
func ListsAsOf(ctx context.Context) Instant { return Instant(replicaRequest(ctx).AsOf()) }

// ForLists returns the same database for reads that may be some seconds old: lists, counts, logs and statistics. They
// come from the replica if there is one and the request allows it, else from the main database. Nothing that decides
// what somebody may do is read like that. A transaction stays as it is.
func (db *DB) ForLists(ctx context.Context) *DB {
	r := replicaRequest(ctx)
	if db.replica == nil || db.tx != nil || !r.Allowed() {
		return db
	}
	inner := db.clone()
	inner.forLists = r
	return inner
}

// fromPool reads from the replica if this DB is for lists, and from the main database if it is not or the replica was
// not read.
func (db *DB) fromPool(ctx context.Context, read func(ctx context.Context, q sqlx.QueryerContext) error) error {
	if db.forLists != nil {
		if err := db.forLists.Read(ctx, db.replica, read); !errors.Is(err, pool.ErrUnread) {
			return err
		}
	}
	return read(ctx, db.read)
}
