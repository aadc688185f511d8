package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mattn/go-sqlite3"
)

// Unavailable says whether an error means that the database is away, full or too slow for now, rather than
// that we asked it something wrong.
func Unavailable(err error) bool {
	if errors.Is(err, ErrBusy) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	if network := net.Error(nil); errors.As(err, &network) {
		return true
	}
	if connecting := new(pgconn.ConnectError); errors.As(err, &connecting) {
		return true
	}
	if postgres := new(pgconn.PgError); errors.As(err, &postgres) {
		// classes 08 connection, 53 resources, 57 operator intervention (PostgreSQL, appendix A)
		return strings.HasPrefix(postgres.Code, "08") || strings.HasPrefix(postgres.Code, "53") || strings.HasPrefix(postgres.Code, "57")
	}
	if lite := (sqlite3.Error{}); errors.As(err, &lite) {
		switch lite.Code {
		case sqlite3.ErrBusy, sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrCantOpen, sqlite3.ErrReadonly, sqlite3.ErrLocked:
			return true
		}
	}
	return err != nil && err.Error() == "sql: database is closed" // database/sql exports no value for it
}
