// Package store holds the entities and the only SQL of Portico, the same for SQLite and Postgres.
//
// Every call that reads or changes rows of one company takes that company's id; the
// exceptions look a person up across companies, which is what the platform is for, and say so.
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
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"
)

// ErrNotFound is returned by the calls that promise one row when there is none.
var ErrNotFound = errors.New("store: not found")

// ErrNewerSchema says that a newer program migrated the database, and that the new schema is not compatible with this
// program.
var ErrNewerSchema = errors.New("store: the database is newer than this program")

// Instant is a point in time in Unix milliseconds; 0 means "never" or "not yet".
type Instant int64

// At turns a time into an Instant.
func At(t time.Time) Instant { return Instant(t.UnixMilli()) }

// Time turns an Instant back into a time, in UTC.
func (i Instant) Time() time.Time { return time.UnixMilli(int64(i)).UTC() }

// DB is the database, or one transaction on it (see Tx). SQLite has one writing connection and several
// reading ones; Postgres has one pool for both, and a connection for probes.
type DB struct {
	write, read, probe *sqlx.DB // probe is nil for SQLite
	tx                 *sqlx.Tx
	conn               *sqlx.Conn // of the transaction
	postgres           bool
	statements         *sync.Map // SQLite: query text → *sqlx.Stmt on read
	atOnce             *operations
	reconnected        *atomic.Int64 // Postgres: connections opened before this moment are given up
	runTwice           bool
	migrations         []migration // nil: those of this program

	until       time.Time // of a transaction in a request: when its time is over
	afterCommit *[]func() // of a transaction
}

// Pools returns the pools of connections by name: the requests' pool of Postgres and that of /readyz, or those of
// SQLite for writing and reading.
func (db *DB) Pools() map[string]*sql.DB {
	if db.postgres {
		return map[string]*sql.DB{"requests": db.write.DB, "probe": db.probe.DB}
	}
	return map[string]*sql.DB{"write": db.write.DB, "read": db.read.DB}
}

// ErrNoDatabase says that there is no database, or that it has no tables yet: nobody has migrated it.
var ErrNoDatabase = errors.New("store: there is no database here; run portico migrate")

// ErrOlderSchema says that the database has not been migrated to this program's version.
var ErrOlderSchema = errors.New("store: the database is older than this program; run portico migrate")

// OpenMigrated opens a database that exists and has a schema that this program can work with. It creates and changes
// nothing. ErrNoDatabase, ErrOlderSchema, ErrNewerSchema.
func OpenMigrated(ctx context.Context, url string) (*DB, error) {
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %s", ErrNoDatabase, path)
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

// Open opens the database that url names: "sqlite:PATH" (made when absent) or "postgres://…". It does
// not migrate.
func Open(ctx context.Context, url string) (*DB, error) { return OpenPool(ctx, url, DefaultPool) }

// OpenPool is Open with a pool of a certain size.
func OpenPool(ctx context.Context, url string, pool Pool) (*DB, error) {
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		return openSQLite(ctx, path)
	}
	return openPostgres(ctx, url, pool)
}

// Close closes the database; the last call on it.
func (db *DB) Close() error {
	if db.postgres {
		return errors.Join(db.write.Close(), db.probe.Close())
	}
	db.statements.Range(func(_, stmt any) bool { _ = stmt.(*sqlx.Stmt).Close(); return true })
	return errors.Join(db.read.Close(), db.write.Close())
}

// prefixed names each column "company.x", which sqlx reads into the nested Company.
func prefixed(columns string) string {
	names := strings.Split(columns, ",")
	for i, name := range names {
		name = strings.TrimSpace(name)
		names[i] = name + ` AS "company.` + strings.TrimPrefix(name, "c.") + `"`
	}
	return strings.Join(names, ", ")
}

// nested names each column of a table "field.column", which sqlx reads into a nested struct.
func nested(field, table, columns string) string {
	names := strings.Split(columns, ",")
	for i, name := range names {
		name = strings.TrimSpace(name)
		names[i] = table + "." + name + ` AS "` + field + "." + name + `"`
	}
	return strings.Join(names, ", ")
}

func nullable(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// get reads one row into dest: ErrNotFound when there is none.
func (db *DB) get(ctx context.Context, dest any, query string, args ...any) error {
	if slices.ContainsFunc(args, isNoText) {
		return ErrNotFound
	}
	return db.statement(ctx, mayRepeatRead, func(ctx context.Context) error {
		if db.tx != nil {
			return found(db.tx.GetContext(ctx, dest, db.tx.Rebind(query), args...))
		}
		if db.postgres {
			return found(db.read.GetContext(ctx, dest, db.read.Rebind(query), args...))
		}
		stmt, err := db.prepared(ctx, query)
		if err != nil {
			return err
		}
		return found(stmt.GetContext(ctx, dest, args...))
	})
}

// list reads rows into dest, a pointer to a slice.
func (db *DB) list(ctx context.Context, dest any, query string, args ...any) error {
	if slices.ContainsFunc(args, isNoText) {
		return nil
	}
	return db.statement(ctx, mayRepeatRead, func(ctx context.Context) error {
		if db.tx != nil {
			return db.tx.SelectContext(ctx, dest, db.tx.Rebind(query), args...)
		}
		if db.postgres {
			return db.read.SelectContext(ctx, dest, db.read.Rebind(query), args...)
		}
		stmt, err := db.prepared(ctx, query)
		if err != nil {
			return err
		}
		return stmt.SelectContext(ctx, dest, args...)
	})
}

// change runs a statement that answers one row (RETURNING): ErrNotFound when it touched none.
func (db *DB) change(ctx context.Context, dest any, query string, args ...any) error {
	return db.statement(ctx, mayRepeatWrite, func(ctx context.Context) error {
		if db.tx != nil {
			return found(db.tx.GetContext(ctx, dest, db.tx.Rebind(query), args...))
		}
		return found(db.write.GetContext(ctx, dest, db.write.Rebind(query), args...))
	})
}

// exec runs a statement and says how many rows it touched.
func (db *DB) exec(ctx context.Context, query string, args ...any) (touched int64, err error) {
	err = db.statement(ctx, mayRepeatWrite, func(ctx context.Context) error {
		var result sql.Result
		var err error
		if db.tx != nil {
			result, err = db.tx.ExecContext(ctx, db.tx.Rebind(query), args...)
		} else {
			result, err = db.write.ExecContext(ctx, db.write.Rebind(query), args...)
		}
		if err == nil {
			touched, err = result.RowsAffected()
		}
		return err
	})
	return touched, err
}

func (db *DB) one(ctx context.Context, query string, args ...any) error {
	n, err := db.exec(ctx, query, args...)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

func found(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// isNoText says that an argument is a string that no row has: text is UTF-8 without NUL. Asked for it, Postgres fails.
func isNoText(arg any) bool {
	text, ok := arg.(string)
	return ok && (strings.Contains(text, "\x00") || !utf8.ValidString(text))
}

// statement runs one statement within the limits of a request. Outside a transaction it runs again after an error that
// mayRepeat accepts. Inside, Tx repeats the whole transaction.
func (db *DB) statement(ctx context.Context, mayRepeat func(error) bool, run func(ctx context.Context) error) error {
	return db.bounded(ctx, func(ctx context.Context) error {
		if db.tx != nil {
			return run(ctx)
		}
		return db.retry(ctx, mayRepeat, func() error { return run(ctx) })
	})
}

// freshID is the id of a row to be inserted, as an expression: larger than any the table has, or had (last_ids). Postgres
// sees to that by itself.
func (db *DB) freshID(table string) string {
	if db.postgres {
		return "DEFAULT"
	}
	return "(SELECT MAX(COALESCE((SELECT MAX(id) FROM " + table + "), 0), COALESCE((SELECT id FROM last_ids WHERE kind = '" + table + "'), 0)) + 1)"
}

// AdvanceIdentities makes the ids given out from now on follow the largest one stored. Rows with explicit
// ids (the demo data) do not advance the sequences of Postgres; SQLite needs nothing.
func (db *DB) AdvanceIdentities(ctx context.Context) error {
	if !db.postgres {
		return nil
	}
	for _, table := range []string{"companies", "clients", "phones", "accounts", "categories", "products", "orders", "acceptances"} {
		if _, err := db.exec(ctx, fmt.Sprintf(`SELECT setval(pg_get_serial_sequence('%s', 'id'), (SELECT COALESCE(MAX(id), 1) FROM %s))`, table, table)); err != nil {
			return fmt.Errorf("advance identities of %s: %w", table, err)
		}
	}
	return nil
}

// CreateDatabase makes an empty database on the same Postgres server; for tests and set-up scripts.
func (db *DB) CreateDatabase(ctx context.Context, name string) error {
	_, err := db.exec(ctx, `CREATE DATABASE "`+strings.ReplaceAll(name, `"`, "")+`"`)
	return err
}

// SweepStep is how many rows one statement of a sweep removes. Every function whose name begins with Forget removes no
// more than that, finds them by an index, and returns how many there were, so that a sweep never keeps the database
// from others for long.
const SweepStep = 1000
