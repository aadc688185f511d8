package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mattn/go-sqlite3"

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
	if dberror.IsNetwork(err) || isConflict(err) || dberror.IsReadOnly(err) {
		return true
	}
	if connecting := new(pgconn.ConnectError); errors.As(err, &connecting) {
		return true
	}
	if code := dberror.SQLState(err); code != "" {
		// Classes 08 connection, 53 resources, 57 operator intervention; 40003 the end of a statement is unknown, 55P03
		// no lock, 25P03 idle for too long (PostgreSQL, appendix A).
		classes, codes := []string{"08", "53", "57"}, []string{"40003", "55P03", "25P03"}
		return slices.Contains(classes, code[:min(2, len(code))]) || slices.Contains(codes, code)
	}
	if lite := (sqlite3.Error{}); errors.As(err, &lite) {
		switch lite.Code {
		case sqlite3.ErrBusy, sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrCantOpen, sqlite3.ErrReadonly,
			sqlite3.ErrLocked:
			return true
		}
	}
	return err != nil && err.Error() == "sql: database is closed" // database/sql exports no value for it
}

// isConflict says whether the database rolled an operation back because of another one, or RunTwice did.
func isConflict(err error) bool { return dberror.IsConflict(err) || errors.Is(err, errRunTwice) }
