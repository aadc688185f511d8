package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"portico/store/dberror"
	"portico/store/pool"
)

// An operation that the database did not carry out is tried again until its time is over. The pause before each try is
// random, so that operations that collided do not collide again. Its upper bound doubles each time.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = 200 * time.Millisecond
)

// retry runs an operation, and runs it again while it fails with an error that allows that, until ctx ends and for at
// most OperationTime.
func (db *DB) retry(ctx context.Context, kind pool.Kind, run func() error) error {
	start := time.Now()
	pause := firstPause
	moved := false
	for {
		err := run()
		if err == nil {
			if db.replica != nil && kind != pool.Read {
				replicaRequest(ctx).NoteChange(db.replica.Now())
			}
			return nil
		}
		if dberror.IsReadOnly(err) {
			db.renewal.Reconnect()
			if moved { // new connections reach a read-only server, too
				return err
			}
			moved = true
		}
		if dberror.IsCut(err) {
			err = fmt.Errorf("%w: %w", dberror.ErrCut, err)
		}
		if !mayRepeat[kind](err) || time.Since(start) > OperationTime {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(pause)): // no secret depends on it
		}
		pause = min(2*pause, longestPause)
		db.observed.Repeat(kind)
	}
}

// mayRepeat says for each kind of operation whether one may run again after an error.
var mayRepeat = map[pool.Kind]func(error) bool{
	pool.Read: mayRepeatRead, pool.Write: mayRepeatWrite, pool.Transaction: mayRepeatTx,
}

// mayRepeatRead says whether a statement that changes nothing may run again after an error.
func mayRepeatRead(err error) bool {
	return isConflict(err) || dberror.IsCut(err) || dberror.IsReadOnly(err)
}

// mayRepeatWrite says whether a single statement certainly changed nothing. If the connection was cut while it ran,
// that is unknown. A server whose administrator ends the connection (57P01) answers with that instead of running the
// statement.
func mayRepeatWrite(err error) bool {
	unsent := errors.Is(err, driver.ErrBadConn) || pgconn.SafeToRetry(err)
	return isConflict(err) || dberror.IsReadOnly(err) || unsent || dberror.SQLState(err) == "57P01"
}

// mayRepeatTx says whether a transaction was certainly rolled back by an error that another run may not meet.
func mayRepeatTx(err error) bool {
	if commit := new(commitError); errors.As(err, &commit) {
		return isConflict(err) || dberror.IsReadOnly(err)
	}
	return isConflict(err) || dberror.IsCut(err) || dberror.IsReadOnly(err)
}

// RunTwice makes every transaction run twice, for tests. The first run is rolled back where it would be committed, as
// if another transaction had collided with it. So a test notices when a function given to Tx has other effects than its
// statements.
func (db *DB) RunTwice() { db.runTwice = true }
