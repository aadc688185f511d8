package pool

import (
	"context"
	"sync/atomic"

	"github.com/jmoiron/sqlx"
)

// Request is what one request may read from the replica, and what it did. The zero value reads nothing from it. Its
// methods can be called at the same time. Moments are in Unix milliseconds, by the clock of the main database.
type Request struct {
	allowed              atomic.Bool
	since, asOf, changed atomic.Int64
}

// Allow lets the request read from a replica that has everything up to a moment. 0 is for any moment.
func (r *Request) Allow(since int64) {
	r.since.Store(since)
	r.allowed.Store(true)
}

// Allowed reports whether the request may read from the replica.
func (r *Request) Allowed() bool { return r.allowed.Load() }

// AsOf returns the moment up to which everything that the request read is complete; 0 if it did not use the replica.
func (r *Request) AsOf() int64 { return r.asOf.Load() }

// NoteChange records that the request changed something before a moment.
func (r *Request) NoteChange(at int64) { r.changed.Store(at) }

// Changed returns a moment after the last change that the request made; 0 for none.
func (r *Request) Changed() int64 { return r.changed.Load() }

// Read reads from the replica for a request. It returns what Replica.Read returns.
func (r *Request) Read(
	ctx context.Context, from *Replica, read func(ctx context.Context, q sqlx.QueryerContext) error,
) error {
	asOf, err := from.Read(ctx, r.since.Load(), read)
	if oldest := r.asOf.Load(); asOf != 0 && (oldest == 0 || asOf < oldest) {
		r.asOf.Store(asOf)
	}
	return err
}
