// Package store holds the entities and the only SQL of Portico, the same for SQLite and Postgres.
//
// A method that reads or changes rows of one company takes that company's id, so that nobody reaches the rows of
// another company. The methods that read across companies say so.
//
// store.go has the verbs that all methods are made of: row, rows, get, list, change, exec and one. Each entity has a
// file with its type and its SQL.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"

	"portico/store/pool"
	"portico/store/schema"
)

// ErrNotFound is the error of a method that promises one row when there is none.
var ErrNotFound = errors.New("store: not found")

// Instant is a point in time in Unix milliseconds; 0 means "never" or "not yet".
type Instant int64

// At turns a time into an Instant.
func At(t time.Time) Instant { return Instant(t.UnixMilli()) }

// Time turns an Instant back into a time, in UTC.
func (i Instant) Time() time.Time { return time.UnixMilli(int64(i)).UTC() }

// DB is the database, or one transaction on it (see Tx). SQLite has one connection that writes and several that only
// read. Postgres has one pool for both, and a connection for probes.
type DB struct {
	write, read, probe *sqlx.DB // probe is nil for SQLite
	tx                 *sqlx.Tx
	conn               *sqlx.Conn // the connection of the transaction
	postgres           bool
	statements         *sync.Map     // SQLite: query text → *sqlx.Stmt on read
	atOnce             *pool.Counter // of requests, that run or wait now
	renewal            *pool.Renewal // of the connections to Postgres
	replica            *pool.Replica // nil without one, see UseReplica
	forLists           *pool.Request // of a DB of ForLists: the request that may read the replica
	runTwice           bool          // see RunTwice
	observed           *pool.Observed
	migrations         []schema.Migration // nil: those of this program

	deadline    time.Time // of a transaction in a request
	afterCommit *[]func() // of a transaction, see AfterCommit

	Tables // run their statements on this DB
}

// Pools returns the pools of connections by name: "requests", "probe" (for /readyz) and "replica" (if there is one) on
// Postgres, "write" and "read" on SQLite.
func (db *DB) Pools() map[string]*sql.DB {
	if !db.postgres {
		return map[string]*sql.DB{"write": db.write.DB, "read": db.read.DB}
	}
	pools := map[string]*sql.DB{"requests": db.write.DB, "probe": db.probe.DB}
	if db.replica != nil {
		pools["replica"] = db.replica.Pool()
	}
	return pools
}

// Observe sets who learns how operations end. It must be called before the database is used by several goroutines.
func (db *DB) Observe(o pool.Observer) { db.observed.Observer = o }

// OperationsNow returns how many statements and transactions of requests run or wait now.
func (db *DB) OperationsNow() int { return db.atOnce.Now() }

// OpenMigrated opens a database that exists and has a schema that this program can work with. It creates and changes
// nothing. schema.ErrNoDatabase, schema.ErrOlder, schema.ErrNewer.
func OpenMigrated(ctx context.Context, url string) (*DB, error) {
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %s", schema.ErrNoDatabase, path)
		}
	}
	db, err := Open(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := db.CheckSchema(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// Open opens the database that url names: "sqlite:PATH", a file that it creates when there is none, or "postgres://…".
// It does not migrate.
func Open(ctx context.Context, url string) (*DB, error) { return OpenPool(ctx, url, pool.Default) }

// OpenPool does what Open does, with limits for the connections to Postgres.
func OpenPool(ctx context.Context, url string, limits pool.Limits) (*DB, error) {
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		return openSQLite(ctx, path)
	}
	return openPostgres(ctx, url, limits)
}

// Close closes the database. No other method may be called after it.
func (db *DB) Close() error {
	if db.postgres {
		if db.replica != nil {
			_ = db.replica.Close()
		}
		return errors.Join(db.write.Close(), db.probe.Close())
	}
	db.statements.Range(func(_, stmt any) bool { _ = stmt.(*sqlx.Stmt).Close(); return true })
	return errors.Join(db.read.Close(), db.write.Close())
}

// nested names each column of a table "field.column", so that sqlx reads it into the struct in that field. The columns
// may have the table's name before them.
func nested(field, table, columns string) string {
	names := strings.Split(columns, ",")
	for i, name := range names {
		name = strings.TrimPrefix(strings.TrimSpace(name), table+".")
		names[i] = table + "." + name + ` AS "` + field + "." + name + `"`
	}
	return strings.Join(names, ", ")
}

// nullable returns an id as a column that refers to another table stores it: 0 becomes NULL.
func nullable(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// row reads one row. ErrNotFound when there is none.
func row[T any](ctx context.Context, db *DB, query string, args ...any) (T, error) {
	var one T
	err := db.get(ctx, &one, query, args...)
	return one, err
}

// rows reads all rows of a query.
func rows[T any](ctx context.Context, db *DB, query string, args ...any) ([]T, error) {
	var all []T
	err := db.list(ctx, &all, query, args...)
	return all, err
}

// bound returns a query with the placeholders of the database. SQLite plans a query anew for each value that it can see
// beside a column, which takes ten times as long as running it; the plus hides the values. No plan depends on them.
func (db *DB) bound(query string) string {
	if db.postgres {
		return sqlx.Rebind(sqlx.DOLLAR, query)
	}
	return strings.ReplaceAll(query, "?", "+?")
}

// get reads one row into dest. ErrNotFound when there is none.
func (db *DB) get(ctx context.Context, dest any, query string, args ...any) error {
	if err := checkText(query, args); err != nil {
		return err
	}
	return db.statement(ctx, pool.Read, func(ctx context.Context) error {
		if db.tx != nil {
			return orNotFound(db.tx.GetContext(ctx, dest, db.bound(query), args...))
		}
		if db.postgres {
			return orNotFound(db.fromPool(ctx, func(ctx context.Context, q sqlx.QueryerContext) error {
				return sqlx.GetContext(ctx, q, dest, db.bound(query), args...)
			}))
		}
		stmt, err := db.prepared(ctx, query)
		if err != nil {
			return err
		}
		return orNotFound(stmt.GetContext(ctx, dest, args...))
	})
}

// list reads all rows into dest, a pointer to a slice.
func (db *DB) list(ctx context.Context, dest any, query string, args ...any) error {
	if checkText(query, args) != nil {
		return nil
	}
	return db.statement(ctx, pool.Read, func(ctx context.Context) error {
		if db.tx != nil {
			return db.tx.SelectContext(ctx, dest, db.bound(query), args...)
		}
		if db.postgres {
			return db.fromPool(ctx, func(ctx context.Context, q sqlx.QueryerContext) error {
				return sqlx.SelectContext(ctx, q, dest, db.bound(query), args...)
			})
		}
		stmt, err := db.prepared(ctx, query)
		if err != nil {
			return err
		}
		return stmt.SelectContext(ctx, dest, args...)
	})
}

// ReadRows reads all rows of a query into dest, a pointer to a slice, and ChangeRows runs a statement. They are for the
// packages below store, which have SQL of their own.
func (db *DB) ReadRows(ctx context.Context, dest any, query string, args ...any) error {
	return db.list(ctx, dest, query, args...)
}

// ChangeRows returns how many rows the statement changed; see ReadRows.
func (db *DB) ChangeRows(ctx context.Context, query string, args ...any) (changed int64, err error) {
	return db.exec(ctx, query, args...)
}

// Bytewise returns a text column as one that is compared byte by byte, as SQLite compares all text.
func (db *DB) Bytewise(column string) string {
	if db.postgres {
		return column + ` COLLATE "C"`
	}
	return column
}

// change runs a statement that changes one row and returns columns of it (RETURNING), which it reads into dest.
// ErrNotFound when the statement changed no row.
func (db *DB) change(ctx context.Context, dest any, query string, args ...any) error {
	if err := checkText(query, args); err != nil {
		return err
	}
	return db.statement(ctx, pool.Write, func(ctx context.Context) error {
		if db.tx != nil {
			return orNotFound(db.tx.GetContext(ctx, dest, db.bound(query), args...))
		}
		return orNotFound(db.write.GetContext(ctx, dest, db.bound(query), args...))
	})
}

// exec runs a statement and returns how many rows it changed.
func (db *DB) exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	if err := checkText(query, args); errors.Is(err, ErrNotFound) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	err = db.statement(ctx, pool.Write, func(ctx context.Context) error {
		var result sql.Result
		var err error
		if db.tx != nil {
			result, err = db.tx.ExecContext(ctx, db.bound(query), args...)
		} else {
			result, err = db.write.ExecContext(ctx, db.bound(query), args...)
		}
		if err != nil {
			return err
		}
		changed, err = result.RowsAffected()
		return err
	})
	return changed, err
}

// one runs a statement that has to change a row. ErrNotFound when it changed none.
func (db *DB) one(ctx context.Context, query string, args ...any) error {
	changed, err := db.exec(ctx, query, args...)
	if err != nil {
		return err
	}
	if changed == 0 {
		return ErrNotFound
	}
	return nil
}

// statement runs one statement within the limits of a request. Outside a transaction it runs the statement again after
// an error if that is safe. Inside a transaction it does not: Tx repeats the whole transaction.
func (db *DB) statement(ctx context.Context, kind pool.Kind, run func(ctx context.Context) error) error {
	return db.bounded(ctx, func(ctx context.Context) error {
		return db.observed.Run(ctx, kind, func(ctx context.Context) error {
			if db.tx != nil {
				return run(ctx)
			}
			return db.retry(ctx, kind, func() error { return run(ctx) })
		})
	})
}

// orNotFound turns the error of database/sql for an empty result into ErrNotFound.
func orNotFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// errInvalidText says that a row was to be inserted with text that no column holds.
var errInvalidText = errors.New("store: text has a NUL or is not UTF-8")

// checkText checks the arguments of a statement for text that no column holds: text with a NUL or invalid UTF-8.
// Postgres fails when it gets such text, and the whole transaction with it; SQLite would store it. So no statement with
// such text reaches a database. No row matches it: the result is ErrNotFound. For an INSERT it is errInvalidText,
// because portal cleans all text before it stores it.
func checkText(query string, args []any) error {
	if !slices.ContainsFunc(args, isInvalidText) {
		return nil
	}
	if strings.HasPrefix(query, "INSERT") {
		return errInvalidText
	}
	return ErrNotFound
}

func isInvalidText(arg any) bool {
	text, ok := arg.(string)
	return ok && (strings.Contains(text, "\x00") || !utf8.ValidString(text))
}

// freshID returns the id of a new row as an SQL expression. The id is larger than every id that the table has or had:
// last_ids keeps the largest id of the rows that were removed. Postgres has a sequence for that.
func (db *DB) freshID(table string) string {
	if db.postgres {
		return "DEFAULT"
	}
	return "(SELECT MAX(COALESCE((SELECT MAX(id) FROM " + table + "), 0), " +
		"COALESCE((SELECT id FROM last_ids WHERE kind = '" + table + "'), 0)) + 1)"
}

// AdvanceIdentities makes new ids larger than all stored ones. The sequences of Postgres do not notice rows that were
// inserted with an id, like those of the demo data. SQLite needs no call.
func (db *DB) AdvanceIdentities(ctx context.Context) error {
	if !db.postgres {
		return nil
	}
	for _, table := range []string{
		"companies", "clients", "phones", "accounts", "categories", "products", "orders", "acceptances",
	} {
		if _, err := db.exec(ctx, fmt.Sprintf(`SELECT setval(pg_get_serial_sequence('%s', 'id'),
			(SELECT COALESCE(MAX(id), 1) FROM %s))`, table, table)); err != nil {
			return fmt.Errorf("advance identities of %s: %w", table, err)
		}
	}
	return nil
}

// SweepStep is how many rows one statement of a sweep removes. Every function whose name begins with Forget removes no
// more than that, finds them by an index, and returns how many it removed. So a sweep never blocks other statements for
// long.
const SweepStep = 1000
