package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/jmoiron/sqlx"

	"portico/store/schema"
)

// ErrNoBackup says that this database is backed up by its own tools (pg_dump), not by Portico.
var ErrNoBackup = errors.New("store: back a Postgres database up with pg_dump")

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

// Postgres reports whether the database is Postgres; otherwise it is SQLite.
func (db *DB) Postgres() bool { return db.postgres }

// Contents says what a database or a copy of it holds.
type Contents struct {
	Schema int            // version of the schema, 0 for none
	Rows   map[string]int // number of rows by table, of the tables of this program that exist
}

// Contents counts the rows of every table. In a transaction it counts what the transaction sees.
func (db *DB) Contents(ctx context.Context) (c Contents, err error) {
	if c.Schema, _, err = db.SchemaVersion(ctx); err != nil {
		return c, err
	}
	var present []string
	query := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if db.postgres {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
	}
	if err := db.list(ctx, &present, query); err != nil {
		return c, err
	}
	c.Rows = map[string]int{}
	for _, table := range schema.Tables {
		if !slices.Contains(present, table) {
			continue
		}
		var n int
		if err := db.get(ctx, &n, "SELECT COUNT(*) FROM "+table); err != nil {
			return c, fmt.Errorf("count the rows of %s: %w", table, err)
		}
		c.Rows[table] = n
	}
	return c, nil
}

// Snapshot calls f with the name of a snapshot of a Postgres database, which pg_dump can read too, and what the
// database contained at that moment. The snapshot ends when f returns. Other transactions are not held up.
func (db *DB) Snapshot(ctx context.Context, f func(snapshot string, c Contents) error) error {
	tx, err := db.write.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var snapshot string
	if err := tx.GetContext(ctx, &snapshot, "SELECT pg_export_snapshot()"); err != nil {
		return fmt.Errorf("export a snapshot: %w", err)
	}
	inner := db.clone()
	inner.tx = tx
	c, err := inner.Contents(ctx)
	if err != nil {
		return err
	}
	return f(snapshot, c)
}

// PostgresVersion returns the server's major version, like 16.
func (db *DB) PostgresVersion(ctx context.Context) (major int, err error) {
	err = db.get(ctx, &major, "SELECT current_setting('server_version_num')::int / 10000")
	return major, err
}

// TableCount returns how many tables a Postgres database has outside the schemas of Postgres itself.
func (db *DB) TableCount(ctx context.Context) (n int, err error) {
	err = db.get(ctx, &n, `SELECT COUNT(*) FROM information_schema.tables
		WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`)
	return n, err
}

// ErrDamaged says that SQLite's own checks found a file damaged.
var ErrDamaged = errors.New("store: the database file is damaged")

// CheckFile checks a SQLite file that nobody uses, page by page and row by row, and returns what it contains. It
// leaves the file in WAL mode. ErrDamaged; schema.ErrNewer and schema.ErrNoDatabase as OpenMigrated; an older schema is
// no error.
func CheckFile(ctx context.Context, path string) (Contents, error) {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?mode=ro&immutable=1&_query_only=1"
	file, err := sqlx.ConnectContext(ctx, "sqlite3", dsn)
	if err != nil {
		return Contents{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer func() { _ = file.Close() }()
	var found string
	if err := file.GetContext(ctx, &found, "PRAGMA integrity_check(1)"); err != nil || found != "ok" {
		return Contents{}, errors.Join(fmt.Errorf("%w: %s", ErrDamaged, found), err)
	}
	var broken []string
	if err := file.SelectContext(ctx, &broken, `SELECT DISTINCT "table" FROM pragma_foreign_key_check`); err != nil {
		return Contents{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(broken) > 0 {
		return Contents{}, fmt.Errorf("%w: rows of %v refer to rows that do not exist", ErrDamaged, broken)
	}
	db, err := Open(ctx, "sqlite:"+path)
	if err != nil {
		return Contents{}, err
	}
	defer func() { _ = db.Close() }()
	if err := db.CheckSchema(ctx); err != nil && !errors.Is(err, schema.ErrOlder) {
		return Contents{}, err
	}
	return db.Contents(ctx)
}

// ErrInUse says that another program has the SQLite file open.
var ErrInUse = errors.New("store: the database is in use; stop every program that uses it first")

// SettleFile writes what is in the files beside a SQLite file into it, so that it can be moved. ErrInUse.
func SettleFile(ctx context.Context, path string) error {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?mode=rw&_locking_mode=EXCLUSIVE&_busy_timeout=100"
	file, err := sqlx.ConnectContext(ctx, "sqlite3", dsn)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInUse, err)
	}
	defer func() { _ = file.Close() }()
	file.SetMaxOpenConns(1)
	var mode string
	if err := file.GetContext(ctx, &mode, "PRAGMA journal_mode=DELETE"); err != nil || mode != "delete" {
		return ErrInUse
	}
	return nil
}
