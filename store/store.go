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
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// ErrNotFound is returned by the calls that promise one row when there is none.
var ErrNotFound = errors.New("store: not found")

// ErrNewerSchema says that a newer program migrated the database, and that the new schema is not compatible with this
// program.
var ErrNewerSchema = errors.New("store: the database is newer than this program")

// MinSQLite is the oldest SQLite library accepted, as sqlite3_libversion_number counts (requirement 125:
// 3.51.3 mends the WAL-reset bug).
const MinSQLite = 3_051_003

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

func openSQLite(ctx context.Context, path string) (*DB, error) {
	if lib, number, _ := sqlite3.Version(); number < MinSQLite {
		return nil, fmt.Errorf("store: SQLite %s is older than 3.51.3, which loses data on a WAL reset", lib)
	}
	if dir := filepath.Dir(path); dir != "." {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("open sqlite: %w", err)
		}
	}
	if err := makePrivate(path); err != nil {
		return nil, fmt.Errorf("open sqlite: %w", err)
	}
	escaped := (&url.URL{Path: path}).EscapedPath()
	dsn := "file:" + escaped + "?_journal_mode=WAL&_busy_timeout=2000&_foreign_keys=on&_synchronous=FULL"
	write, err := sqlx.ConnectContext(ctx, "sqlite3", dsn+"&_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("open sqlite: %w", err)
	}
	write.SetMaxOpenConns(1)
	read, err := sqlx.ConnectContext(ctx, "sqlite3", dsn+"&mode=ro&_query_only=1")
	if err != nil {
		_ = write.Close()
		return nil, fmt.Errorf("open sqlite: %w", err)
	}
	read.SetMaxOpenConns(8)
	read.SetMaxIdleConns(8)
	return &DB{write: write, read: read, statements: new(sync.Map), atOnce: newOperations()}, nil
}

// makePrivate creates a database file that only its owner may read, and takes the rights of others from one that
// exists. SQLite gives the files beside it the same rights.
func makePrivate(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(name, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the database; the last call on it.
func (db *DB) Close() error {
	if db.postgres {
		return errors.Join(db.write.Close(), db.probe.Close())
	}
	db.statements.Range(func(_, stmt any) bool { _ = stmt.(*sqlx.Stmt).Close(); return true })
	return errors.Join(db.read.Close(), db.write.Close())
}

// Tx runs f in one transaction: committed when f returns nil, else rolled back. Called inside a transaction it joins
// that one.
//
// f may run several times: when another transaction collided with it, or the connection broke before the commit, the
// transaction is rolled back and f runs again in a new one. So f must have no effect except its statements. It must not
// append to outside variables or count in them, nor send or log anything (use AfterCommit). It must set all its results
// in every run, whatever an earlier run left in them. No network call belongs inside f.
func (db *DB) Tx(ctx context.Context, f func(tx *DB) error) error {
	if db.tx != nil {
		return f(db)
	}
	return db.bounded(ctx, func(ctx context.Context) error {
		giveUp := db.runTwice
		return db.retry(ctx, mayRepeatTx, func() error {
			err := db.once(ctx, f, giveUp)
			giveUp = false
			return err
		})
	})
}

// once runs a transaction once. With giveUp it rolls the transaction back instead of committing it.
func (db *DB) once(ctx context.Context, f func(tx *DB) error, giveUp bool) error {
	conn, err := db.write.Connx(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = conn.Close() }()
	tx, err := conn.BeginTxx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	inner := *db
	inner.tx, inner.conn, inner.afterCommit = tx, conn, new([]func())
	inner.until, _ = ctx.Deadline()
	if err := f(&inner); err != nil {
		return err
	}
	if giveUp {
		return errRunTwice
	}
	if err := tx.Commit(); err != nil {
		return &commitError{err}
	}
	for _, after := range *inner.afterCommit {
		after()
	}
	if db.postgres && ctx.Err() != nil {
		// The commit may have been cancelled while it waited for the standby. Then the standby may not have it.
		return &commitError{ctx.Err()}
	}
	return nil
}

// AfterCommit runs f once the transaction is committed, and never when it is rolled back. Without a transaction it runs
// f at once.
func (db *DB) AfterCommit(f func()) {
	if db.tx == nil {
		f()
		return
	}
	*db.afterCommit = append(*db.afterCommit, f)
}

// canceled adds the reason to an error that came because ctx had ended. A transaction that database/sql rolled back
// only says that it is done, and a statement that Postgres cancelled only says that it was cancelled (57014).
func canceled(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, sql.ErrTxDone) || sqlState(err) == "57014") {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
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

// prepared keeps a statement per query text for SQLite: the texts are constants of this package, so they are few. The
// driver of Postgres keeps its statements by itself.
func (db *DB) prepared(ctx context.Context, query string) (*sqlx.Stmt, error) {
	if stmt, ok := db.statements.Load(query); ok {
		return stmt.(*sqlx.Stmt), nil
	}
	stmt, err := db.read.PreparexContext(ctx, db.read.Rebind(query))
	if err != nil {
		return nil, err
	}
	if kept, loaded := db.statements.LoadOrStore(query, stmt); loaded {
		_ = stmt.Close()
		return kept.(*sqlx.Stmt), nil
	}
	return stmt, nil
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

// freshID is the id of a row to be inserted, as an expression: larger than any the table has, or had (last_ids). Postgres
// sees to that by itself.
func (db *DB) freshID(table string) string {
	if db.postgres {
		return "DEFAULT"
	}
	return "(SELECT MAX(COALESCE((SELECT MAX(id) FROM " + table + "), 0), COALESCE((SELECT id FROM last_ids WHERE kind = '" + table + "'), 0)) + 1)"
}

func found(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// CreateDatabase makes an empty database on the same Postgres server; for tests and set-up scripts.
func (db *DB) CreateDatabase(ctx context.Context, name string) error {
	_, err := db.exec(ctx, `CREATE DATABASE "`+strings.ReplaceAll(name, `"`, "")+`"`)
	return err
}
