package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mattn/go-sqlite3"
)

// errCut says that the connection to the database broke.
var errCut = errors.New("store: the connection to the database was cut")

// errRunTwice ends the first run of a transaction under RunTwice.
var errRunTwice = errors.New("store: each transaction runs twice")

// commitError is the failure of a COMMIT. When its answer was lost, the transaction may have been committed.
type commitError struct{ err error }

func (e *commitError) Error() string { return "commit: " + e.err.Error() }

func (e *commitError) Unwrap() error { return e.err }

// Unavailable says whether an error means that the database cannot be reached, is full, read-only or too slow now. Any
// other error is a fault of the program.
func Unavailable(err error) bool {
	for _, away := range []error{ErrBusy, errCut, sql.ErrConnDone, driver.ErrBadConn, context.DeadlineExceeded} {
		if errors.Is(err, away) {
			return true
		}
	}
	if isNetwork(err) || isConflict(err) || isReadOnly(err) {
		return true
	}
	if connecting := new(pgconn.ConnectError); errors.As(err, &connecting) {
		return true
	}
	if code := sqlState(err); code != "" {
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

func isNetwork(err error) bool {
	network := net.Error(nil)
	return errors.As(err, &network)
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

// locked says whether SQLite gave up waiting for another process's write lock.
func locked(err error) bool {
	lite := sqlite3.Error{}
	return errors.As(err, &lite) && (lite.Code == sqlite3.ErrBusy || lite.Code == sqlite3.ErrLocked)
}

// refersToNothing says whether the database refused a foreign key.
func refersToNothing(err error) bool {
	lite := sqlite3.Error{}
	return sqlState(err) == "23503" ||
		errors.As(err, &lite) && lite.ExtendedCode == sqlite3.ErrConstraintForeignKey
}
