package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"

	"portico/store/pool"
)

// isTooOld says whether a version of the SQLite library, as sqlite3_libversion_number returns it, can lose data when
// the WAL is reset.
func isTooOld(number int) bool { return number < 3_051_003 }

func openSQLite(ctx context.Context, path string) (*DB, error) {
	if lib, number, _ := sqlite3.Version(); isTooOld(number) {
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
	write, err := pool.SQLiteWriter(ctx, dsn+"&_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("open sqlite: %w", err)
	}
	read, err := sqlx.ConnectContext(ctx, "sqlite3", dsn+"&mode=ro&_query_only=1")
	if err != nil {
		_ = write.Close()
		return nil, fmt.Errorf("open sqlite: %w", err)
	}
	read.SetMaxOpenConns(8)
	read.SetMaxIdleConns(8)
	db := &DB{write: write, read: read, statements: new(sync.Map), atOnce: pool.NewCounter()}
	db.observed = &pool.Observed{Engine: "sqlite"}
	return db.withTables(), nil
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

// prepared keeps a statement per query text for SQLite: the texts are constants of this package, so they are few. The
// driver of Postgres keeps its statements by itself.
func (db *DB) prepared(ctx context.Context, query string) (*sqlx.Stmt, error) {
	if stmt, ok := db.statements.Load(query); ok {
		return stmt.(*sqlx.Stmt), nil
	}
	stmt, err := db.read.PreparexContext(ctx, db.bound(query))
	if err != nil {
		return nil, err
	}
	if kept, loaded := db.statements.LoadOrStore(query, stmt); loaded {
		_ = stmt.Close()
		return kept.(*sqlx.Stmt), nil
	}
	return stmt, nil
}

// Postgres reports whether the database is Postgres; otherwise it is SQLite.
func (db *DB) Postgres() bool { return db.postgres }

// ErrNoBackup says that a copy of this database is made by pg_dump.
var ErrNoBackup = errors.New("store: Postgres databases are copied by pg_dump")

// Backup writes a consistent copy of a running SQLite database to path, which must not exist and which only its owner
// may read. It writes to a temporary file beside it first, so that a failed backup leaves nothing that looks like one.
func (db *DB) Backup(ctx context.Context, path string) error {
	if db.postgres {
		return ErrNoBackup
	}
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("backup: %s exists already", path)
	}
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	_ = os.Remove(part)
	private, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if err := private.Close(); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if _, err := db.exec(ctx, "VACUUM INTO ?", part); err != nil {
		_ = os.Remove(part)
		return fmt.Errorf("backup: %w", err)
	}
	return os.Rename(part, path)
}
