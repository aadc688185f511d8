package pool

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
)

const (
	// MaxAge is how old a copy may be. An older one is not read.
	MaxAge = 30 * time.Second
	// ReadTime is how long one read may take, the waits included. Then the main database is read.
	ReadTime = time.Second
	// beatEvery is how often the row with the time is renewed, and how often the copy is looked at.
	beatEvery = time.Second
	// beatAge is how old the row is before another program renews it.
	beatAge = 900 * time.Millisecond
)

// Outcome says how an attempt to read from the replica ended.
type Outcome string

// The outcomes. The main database is read after all but the first.
const (
	Used   Outcome = "used"
	Behind Outcome = "behind" // it lacks a change of the person who reads, or is older than MaxAge
	Away   Outcome = "away"   // it did not answer when it was last asked
	Failed Outcome = "failed" // the read itself failed or took longer than ReadTime
)

// Outcomes are all outcomes.
var Outcomes = []Outcome{Used, Behind, Away, Failed}

// ErrUnread says that a read did not happen, so that the main database has to be read.
var ErrUnread = errors.New("store: the replica was not read")

// Replica is the copy. Its methods can be called at the same time.
//
// How old the copy is: one program writes the time into a row of the main database every second (a heartbeat). All
// changes that were committed before that moment reach the copy before the row does. So a copy whose row says 12:00:05
// has everything up to 12:00:05. All these times are by the clock of the main database's server.
type Replica struct {
	copy, main *sqlx.DB
	// Done is called after each attempt, for metrics. nil: nothing is called.
	Done func(Outcome)

	looked atomic.Pointer[look] // nil before the first look
	away   atomic.Bool          // it did not answer when it was last asked
}

// look is what Watch saw last.
type look struct {
	asOf  int64     // the copy has everything up to this moment, in Unix milliseconds
	clock int64     // what the main database's clock said
	asked time.Time // when it was asked, by this machine's monotonic clock
}

// OpenReplica returns the replica at an address (postgres://…) of the main database with that pool. It connects to no
// server yet: the program starts and works without the replica.
func OpenReplica(address string, limits Limits, main *sqlx.DB) (*Replica, error) {
	settings, err := Parse(address)
	if err != nil {
		return nil, fmt.Errorf("open replica: %w", err)
	}
	return &Replica{copy: Open(settings, limits, new(Renewal)), main: main}, nil
}

// Pool is the pool of connections to the replica.
func (r *Replica) Pool() *sql.DB { return r.copy.DB }

// Close closes the connections to the replica.
func (r *Replica) Close() error { return r.copy.Close() }

// Watch renews the heartbeat and looks at the replica every second, until the context ends. It calls changed when the
// replica goes away, with the reason, and with nil when it is back.
func (r *Replica) Watch(ctx context.Context, changed func(error)) {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	away := false
	for {
		err := r.Look(ctx)
		if ctx.Err() != nil {
			return
		}
		if away != (err != nil) {
			away = err != nil
			changed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// clock is the time of the database's server in Unix milliseconds, in SQL.
const clock = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"

// Look renews the heartbeat if it is due, and looks how old the replica is. It returns an error when the replica does
// not answer. While the main database does not answer, what was seen of it last holds.
func (r *Replica) Look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, beatEvery)
	defer cancel()
	now := look{asked: time.Now()}
	// A row from the future comes from another clock: the main database has moved to another server.
	_, err := r.main.ExecContext(ctx, `INSERT INTO heartbeats (id, at) VALUES (1, `+clock+`)
		ON CONFLICT (id) DO UPDATE SET at = excluded.at
		WHERE heartbeats.at NOT BETWEEN excluded.at - $1 AND excluded.at`, beatAge.Milliseconds())
	if err == nil {
		err = r.main.GetContext(ctx, &now.clock, "SELECT "+clock)
	}
	if last := r.looked.Load(); err != nil && last != nil {
		now.clock, now.asked = last.clock, last.asked
	} else if err != nil {
		return nil // the main database is away, and says so itself
	}
	err = r.copy.GetContext(ctx, &now.asOf, "SELECT at FROM heartbeats WHERE id = 1")
	if errors.Is(err, sql.ErrNoRows) {
		err = nil // the first heartbeat has not arrived
	}
	r.away.Store(err != nil)
	if last := r.looked.Load(); err != nil && last != nil {
		now.asOf = last.asOf
	}
	r.looked.Store(&now)
	return err
}

// Now returns the time by the main database's clock, in Unix milliseconds, or up to a second more. Whatever was
// committed before is not later. Before the first Look it is the time of this machine.
func (r *Replica) Now() int64 {
	l := r.looked.Load()
	if l == nil {
		return time.Now().UnixMilli()
	}
	return l.clock + time.Since(l.asked).Milliseconds()
}

// Age is how old the replica was when it was last looked at, plus the time since then. It is 0 before the first Look.
func (r *Replica) Age() time.Duration {
	l := r.looked.Load()
	if l == nil {
		return 0
	}
	return time.Duration(r.Now()-l.asOf) * time.Millisecond
}

// Read runs read on the replica, in a transaction that changes nothing, if the replica has everything up to a moment,
// since, in Unix milliseconds. It returns the moment up to which the replica has everything. The error is ErrUnread, or
// sql.ErrNoRows if read returned that.
func (r *Replica) Read(
	ctx context.Context, since int64, read func(ctx context.Context, q sqlx.QueryerContext) error,
) (asOf int64, err error) {
	asOf, outcome, err := r.attempt(ctx, since, read)
	if r.Done != nil {
		r.Done(outcome)
	}
	return asOf, err
}

func (r *Replica) attempt(
	ctx context.Context, since int64, read func(ctx context.Context, q sqlx.QueryerContext) error,
) (asOf int64, outcome Outcome, err error) {
	last := r.looked.Load()
	if last == nil || r.away.Load() {
		return 0, Away, ErrUnread
	}
	oldest := max(since, r.Now()-MaxAge.Milliseconds())
	if !r.has(last.asOf, oldest) {
		return 0, Behind, ErrUnread
	}
	ctx, cancel := context.WithTimeout(ctx, ReadTime)
	defer cancel()
	asOf, err = r.transaction(ctx, oldest, read)
	switch {
	case err == nil, errors.Is(err, sql.ErrNoRows):
		return asOf, Used, err
	case errors.Is(err, errBehind): // the address leads to several servers, and this one is slower
		return 0, Behind, ErrUnread
	case context.Cause(ctx) != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return 0, Failed, fmt.Errorf("%w: %w", ErrUnread, err) // the person has gone
	}
	r.away.Store(true) // until Watch reaches it again
	return 0, Failed, fmt.Errorf("%w: %w", ErrUnread, err)
}

// errBehind says that the server that was asked is older than allowed.
var errBehind = errors.New("store: the replica is behind")

// transaction looks how old the server is that was reached, and reads from the same server.
func (r *Replica) transaction(
	ctx context.Context, oldest int64, read func(ctx context.Context, q sqlx.QueryerContext) error,
) (asOf int64, err error) {
	tx, err := r.copy.BeginTxx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }()
	if err := tx.GetContext(ctx, &asOf, "SELECT at FROM heartbeats WHERE id = 1"); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return 0, errBehind
		}
		return 0, err
	}
	if !r.has(asOf, oldest) {
		return 0, errBehind
	}
	return asOf, read(ctx, tx)
}

// has says whether a replica with a heartbeat has everything up to a moment. A heartbeat from the future is not
// believed: it comes from the clock of another server that was the main one.
func (r *Replica) has(heartbeat, moment int64) bool {
	return heartbeat >= moment && heartbeat <= r.Now()
}
