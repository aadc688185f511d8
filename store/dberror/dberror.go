// Package dberror says what kind of error a database gave, the same for SQLite and Postgres.
package dberror

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

// ErrCut says that the connection to the database broke.
var ErrCut = errors.New("store: the connection to the database was cut")

// IsConflict says whether the database rolled an operation back because of another one: a serialization failure or a
// deadlock.
func IsConflict(err error) bool {
	code := SQLState(err)
	return code == "40001" || code == "40P01"
}

// IsNetwork says whether an error is a net.Error: the connection failed below SQL, or a deadline of the context passed.
func IsNetwork(err error) bool {
	network := net.Error(nil)
	return errors.As(err, &network)
}

// IsReadOnly says whether the database refused a write because it is not, or no longer, the primary.
func IsReadOnly(err error) bool { return SQLState(err) == "25006" }

// IsCut says whether an established connection broke. It is false when a connection cannot be established: the database
// is away then, and trying again at once would only make people wait.
func IsCut(err error) bool {
	if connecting := new(pgconn.ConnectError); errors.As(err, &connecting) {
		return false
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return false
	}
	switch code := SQLState(err); {
	case code == "57P01", code == "57P02", code == "25P03", strings.HasPrefix(code, "08"):
		return true // the server ended the connection
	case code != "":
		return false
	}
	for _, broken := range []error{
		ErrCut, io.EOF, io.ErrUnexpectedEOF, pgconn.ErrConnClosed, driver.ErrBadConn, sql.ErrConnDone,
	} {
		if errors.Is(err, broken) {
			return true
		}
	}
	return IsNetwork(err)
}

// SQLState is the code of an error that Postgres answered with, "" for any other error.
func SQLState(err error) string {
	postgres := new(pgconn.PgError)
	if !errors.As(err, &postgres) {
		return ""
	}
	return postgres.Code
}

// IsLocked says whether SQLite gave up waiting for another process's write lock.
func IsLocked(err error) bool {
	lite := sqlite3.Error{}
	return errors.As(err, &lite) && (lite.Code == sqlite3.ErrBusy || lite.Code == sqlite3.ErrLocked)
}

// IsUnavailable says whether the database cannot work now: it cannot be reached, or is full, read-only, locked or too
// slow.
func IsUnavailable(err error) bool {
	if IsNetwork(err) || isConnecting(err) || IsReadOnly(err) || IsLocked(err) {
		return true
	}
	if code := SQLState(err); code != "" {
		// From PostgreSQL's appendix A. Classes: 08 is a failed connection, 53 a lack of resources, 57 an intervention
		// of the operator. Codes: 40003 says that nobody knows whether the statement was completed, 55P03 that a lock
		// was not available, 25P03 that a transaction was idle for too long.
		classes, codes := []string{"08", "53", "57"}, []string{"40003", "55P03", "25P03"}
		return slices.Contains(classes, code[:min(2, len(code))]) || slices.Contains(codes, code)
	}
	if lite := (sqlite3.Error{}); errors.As(err, &lite) {
		switch lite.Code {
		case sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrCantOpen, sqlite3.ErrReadonly:
			return true
		}
	}
	return false
}

// IsMissingReference says whether the database refused a foreign key.
func IsMissingReference(err error) bool {
	lite := sqlite3.Error{}
	return SQLState(err) == "23503" ||
		errors.As(err, &lite) && lite.ExtendedCode == sqlite3.ErrConstraintForeignKey
}

// Classes are the values of Class. They are few, because each is a series of the metrics.
var Classes = []string{
	"timeout", "cancelled", "conflict", "constraint", "read_only", "locked", "full", "connection", "other",
}

// Class returns which of Classes an error of a database operation belongs to. Every deadline is "timeout" and every
// cancellation "cancelled". It returns "" for nil and for any other error.
func Class(err error) string {
	lite, code := sqlite3.Error{}, SQLState(err)
	isLite := errors.As(err, &lite)
	switch {
	case err == nil:
		return ""
	case code == "57014", errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled" // the caller has gone
	case IsConflict(err):
		return "conflict"
	case strings.HasPrefix(code, "23"), isLite && lite.Code == sqlite3.ErrConstraint:
		return "constraint"
	case IsReadOnly(err), isLite && lite.Code == sqlite3.ErrReadonly:
		return "read_only"
	case code == "55P03", IsLocked(err):
		return "locked"
	case strings.HasPrefix(code, "53"), isLite && lite.Code == sqlite3.ErrFull:
		return "full"
	case IsCut(err), isConnecting(err):
		return "connection"
	case code != "", isLite:
		return "other"
	}
	return ""
}

func isConnecting(err error) bool {
	connecting := new(pgconn.ConnectError)
	return errors.As(err, &connecting)
}
