package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"portico/store/schema"
)

// schema returns the database as the package schema needs it.
func (db *DB) schema() (schema.Database, error) {
	known := db.migrations
	if known == nil {
		var err error
		if known, err = schema.Own(); err != nil {
			return schema.Database{}, err
		}
	}
	return db.schemaWith(known), nil
}

func (db *DB) schemaWith(known []schema.Migration) schema.Database {
	return schema.Database{
		Postgres: db.postgres, Pool: db.write, Migrations: known, Exec: db.exec, List: db.list,
		Tx: func(ctx context.Context, f func(tx schema.Database) error) error {
			return db.Tx(ctx, func(tx *DB) error { return f(tx.schemaWith(known)) })
		},
	}
}

// Migrate brings the schema to this program's version, as schema.Database.Migrate says. schema.ErrNewer.
func (db *DB) Migrate(ctx context.Context) error {
	return db.MigrateWithProgress(ctx, func(string) {})
}

// MigrateWithProgress does what Migrate does, and reports what it has done and what it waits for, in lines for people.
func (db *DB) MigrateWithProgress(ctx context.Context, progress func(line string)) error {
	s, err := db.schema()
	if err != nil {
		return err
	}
	return s.Migrate(ctx, progress, nil)
}

// CheckSchema returns nil when this program can work with the schema. schema.ErrNoDatabase, schema.ErrOlder,
// schema.ErrNewer.
func (db *DB) CheckSchema(ctx context.Context) error {
	s, err := db.schema()
	if err != nil {
		return err
	}
	return s.Check(ctx)
}

// SchemaVersion returns the version of the database's schema, 0 if it has none, and the version that this program
// knows.
func (db *DB) SchemaVersion(ctx context.Context) (current, wanted int, err error) {
	s, err := db.schema()
	if err != nil {
		return 0, 0, err
	}
	current, err = s.Version(ctx)
	return current, len(s.Migrations), err
}

// SchemaVersions returns all versions of the schema, those of this program and newer ones of the database that url
// names. It creates and changes nothing. For a SQLite file that does not exist, nothing is applied.
func SchemaVersions(ctx context.Context, url string) ([]schema.VersionState, error) {
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
			known, err := schema.Own()
			return schema.Unapplied(known), err
		}
	}
	db, err := Open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	s, err := db.schema()
	if err != nil {
		return nil, err
	}
	return s.Versions(ctx)
}

// WithMigrations returns the same database for a program with other migrations: the .sql files of a folder. Tests use
// it to stand for an older or a newer program.
func (db *DB) WithMigrations(files fs.FS) (*DB, error) {
	all, err := schema.Read(files)
	if err != nil {
		return nil, err
	}
	other := *db
	other.migrations = all
	return &other, nil
}
