package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// An operation that the database did not carry out is tried again until its time is over. The pause before each try is
// random, so that operations that collided do not collide again. Its upper bound doubles each time.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = 200 * time.Millisecond
)

// errCut says that the connection to the database broke.
var errCut = errors.New("store: the connection to the database was cut")

// errRunTwice ends the first run of a transaction under RunTwice.
var errRunTwice = errors.New("store: each transaction runs twice")

// commitError is the failure of a COMMIT. When its answer was lost, the transaction may have been committed.
type commitError struct{ err error }

func (e *commitError) Error() string { return "commit: " + e.err.Error() }
func (e *commitError) Unwrap() error { return e.err }

// retry runs an operation, and runs it again while it fails with an error that mayRepeat accepts, until ctx ends and
// for at most OperationTime.
func (db *DB) retry(ctx context.Context, mayRepeat func(error) bool, run func() error) error {
	start, pause, moved := time.Now(), firstPause, false
	for {
		err := run()
		if err == nil {
			return nil
		}
		if isReadOnly(err) {
			db.reconnect()
			if moved { // new connections reach a read-only server, too
				return err
			}
			moved = true
		}
		if isCut(err) {
			err = fmt.Errorf("%w: %w", errCut, err)
		}
		if !mayRepeat(err) || time.Since(start) > OperationTime {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(pause)): // no secret depends on it
		}
		pause = min(2*pause, longestPause)
	}
}

// mayRepeatRead says whether a statement that changes nothing may run again after an error.
func mayRepeatRead(err error) bool { return isConflict(err) || isCut(err) || isReadOnly(err) }

// mayRepeatWrite says whether a single statement certainly changed nothing. If the connection was cut while it ran,
// that is unknown. A server whose administrator ends the connection (57P01) answers with that instead of running the
// statement.
func mayRepeatWrite(err error) bool {
	unsent := errors.Is(err, driver.ErrBadConn) || pgconn.SafeToRetry(err)
	return isConflict(err) || isReadOnly(err) || unsent || sqlState(err) == "57P01"
}

// mayRepeatTx says whether a transaction was certainly rolled back by an error that another run may not meet.
func mayRepeatTx(err error) bool {
	if commit := new(commitError); errors.As(err, &commit) {
		return isConflict(err) || isReadOnly(err)
	}
	return isConflict(err) || isCut(err) || isReadOnly(err)
}

// isConflict says whether the database rolled an operation back because of another one: a serialization failure or a
// deadlock.
func isConflict(err error) bool {
	code := sqlState(err)
	return code == "40001" || code == "40P01" || errors.Is(err, errRunTwice)
}

// isReadOnly says whether the database refused a write because it is not, or no longer, the primary.
func isReadOnly(err error) bool { return sqlState(err) == "25006" }

// isCut says whether an established connection broke. It is false when a connection cannot be established: the database
// is away then, and trying again at once would only make people wait.
func isCut(err error) bool {
	if connecting := new(pgconn.ConnectError); errors.As(err, &connecting) {
		return false
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return false
	}
	switch code := sqlState(err); {
	case code == "57P01", code == "57P02", code == "25P03", strings.HasPrefix(code, "08"):
		return true // the server ended the connection
	case code != "":
		return false
	}
	for _, broken := range []error{
		errCut, io.EOF, io.ErrUnexpectedEOF, pgconn.ErrConnClosed, driver.ErrBadConn, sql.ErrConnDone,
	} {
		if errors.Is(err, broken) {
			return true
		}
	}
	return isNetwork(err)
}

// sqlState is the code of an error that Postgres answered with, "" for any other error.
func sqlState(err error) string {
	postgres := new(pgconn.PgError)
	if !errors.As(err, &postgres) {
		return ""
	}
	return postgres.Code
}

// RunTwice makes every transaction run twice, for tests. The first run is rolled back where it would be committed, as
// if another transaction had collided with it. So a test notices when a function given to Tx has other effects than its
// statements.
func (db *DB) RunTwice() { db.runTwice = true }
