package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"portico/store/dberror"
)

// errRunTwice ends the first run of a transaction under RunTwice.
var errRunTwice = errors.New("store: each transaction runs twice")

// commitError is the failure of a COMMIT. When its answer was lost, the transaction may have been committed.
type commitError struct{ err error }

func (e *commitError) Error() string { return "commit: " + e.err.Error() }

func (e *commitError) Unwrap() error { return e.err }

// Unavailable says whether an error means that the database cannot be reached, is full, read-only or too slow now. Any
// other error is a fault of the program.
func Unavailable(err error) bool {
	for _, away := range []error{
		ErrBusy, dberror.ErrCut, sql.ErrConnDone, driver.ErrBadConn, context.DeadlineExceeded,
	} {
		if errors.Is(err, away) {
			return true
		}
	}
	if isConflict(err) || dberror.IsUnavailable(err) {
		return true
	}
	return err != nil && err.Error() == "sql: database is closed" // database/sql exports no value for it
}

// isConflict says whether the database did not do an operation because of another one, or RunTwice rolled it back.
func isConflict(err error) bool {
	return dberror.IsConflict(err) || dberror.IsLocked(err) || errors.Is(err, errRunTwice)
}
