package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mattn/go-sqlite3"
)

// Unavailable says whether an error means that the database is away, full, read-only or too slow for now, rather than
// that we asked it something wrong.
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
		case sqlite3.ErrBusy, sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrCantOpen, sqlite3.ErrReadonly, sqlite3.ErrLocked:
			return true
		}
	}
	return err != nil && err.Error() == "sql: database is closed" // database/sql exports no value for it
}

func isNetwork(err error) bool {
	network := net.Error(nil)
	return errors.As(err, &network)
}
