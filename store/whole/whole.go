// Package whole looks at a database as a whole, for backups: what it contains, a snapshot of it, and the file of
// SQLite.
package whole

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/jmoiron/sqlx"

	"portico/store"
	"portico/store/schema"
)

// reader returns the connections on which a database reads.
func reader(db *store.DB) *sqlx.DB {
	if db.Postgres() {
		return sqlx.NewDb(db.Pools()["requests"], "pgx")
	}
	return sqlx.NewDb(db.Pools()["read"], "sqlite3")
}

// Contents says what a database or a copy of it holds.
type Contents struct {
	Schema int            // version of the schema, 0 for none
	Rows   map[string]int // number of rows by table, of the tables of this program that exist
}

// ContentsOf counts the rows of every table.
func ContentsOf(ctx context.Context, db *store.DB) (Contents, error) {
	return contents(ctx, db, reader(db))
}

func contents(ctx context.Context, db *store.DB, on sqlx.QueryerContext) (c Contents, err error) {
	if c.Schema, _, err = db.SchemaVersion(ctx); err != nil {
		return c, err
	}
	c.Rows, err = rowsOf(ctx, on, db.Postgres())
	return c, err
}

// rowsOf counts the rows of every table of this program that exists.
func rowsOf(ctx context.Context, on sqlx.QueryerContext, postgres bool) (map[string]int, error) {
	var present []string
	query := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if postgres {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
	}
	if err := sqlx.SelectContext(ctx, on, &present, query); err != nil {
		return nil, err
	}
	rows := map[string]int{}
	for _, table := range schema.Tables {
		if !slices.Contains(present, table) {
			continue
		}
		var n int
		if err := sqlx.GetContext(ctx, on, &n, "SELECT COUNT(*) FROM "+table); err != nil {
			return nil, fmt.Errorf("count the rows of %s: %w", table, err)
		}
		rows[table] = n
	}
	return rows, nil
}

// Snapshot calls f with the name of a snapshot of a Postgres database, which pg_dump can read too, and what the
// database contained at that moment. The snapshot ends when f returns. Other transactions are not held up.
func Snapshot(ctx context.Context, db *store.DB, f func(snapshot string, c Contents) error) error {
	tx, err := reader(db).BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var snapshot string
	if err := tx.GetContext(ctx, &snapshot, "SELECT pg_export_snapshot()"); err != nil {
		return fmt.Errorf("export a snapshot: %w", err)
	}
	c, err := contents(ctx, db, tx)
	if err != nil {
		return err
	}
	if err := f(snapshot, c); err != nil {
		return err
	}
	after, _, err := db.SchemaVersion(ctx)
	if err == nil && after != c.Schema {
		err = errors.New("the schema was changed during the backup; repeat it")
	}
	return err
}

// PostgresVersion returns the server's major version, like 16.
func PostgresVersion(ctx context.Context, db *store.DB) (major int, err error) {
	err = reader(db).GetContext(ctx, &major, "SELECT current_setting('server_version_num')::int / 10000")
	return major, err
}

// TableCount returns how many tables a Postgres database has outside the schemas of Postgres itself.
func TableCount(ctx context.Context, db *store.DB) (n int, err error) {
	err = reader(db).GetContext(ctx, &n, `SELECT COUNT(*) FROM information_schema.tables
		WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`)
	return n, err
}

// ErrDamaged says that SQLite's own checks found a file damaged.
var ErrDamaged = errors.New("the database file is damaged")

// CheckFile checks a SQLite file that nobody uses, page by page and row by row, and returns what it contains. It
// leaves the file in WAL mode. ErrDamaged; schema.ErrNewer and schema.ErrNoDatabase as store.OpenMigrated; an older
// schema is no error.
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
	db, err := store.Open(ctx, "sqlite:"+path)
	if err != nil {
		return Contents{}, err
	}
	defer func() { _ = db.Close() }()
	if err := db.CheckSchema(ctx); err != nil && !errors.Is(err, schema.ErrOlder) {
		return Contents{}, err
	}
	return ContentsOf(ctx, db)
}

// ErrInUse says that another program has the SQLite file open.
var ErrInUse = errors.New("the database is in use; stop every program that uses it first")

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
