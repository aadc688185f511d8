package store

import (
	"context"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/jmoiron/sqlx"

	"portico/store/schema"
)

// PretendSchema makes the database look migrated to a version that does not say which older programs are compatible.
func (db *DB) PretendSchema(ctx context.Context, version int) error {
	_, err := db.exec(ctx, "INSERT INTO schema_versions (version, applied_at) VALUES (?, 1)", version)
	return err
}

// Settings reads what SQLite uses on the reading and the writing connections.
func (db *DB) Settings(ctx context.Context) (read, write string, err error) {
	if read, err = settingsOf(ctx, db.read); err == nil {
		write, err = settingsOf(ctx, db.write)
	}
	return read, write, err
}

func settingsOf(ctx context.Context, pool *sqlx.DB) (string, error) {
	var all []string
	for _, name := range []string{
		"synchronous", "foreign_keys", "journal_mode", "busy_timeout", "query_only", "temp_store",
	} {
		var value string
		if err := pool.GetContext(ctx, &value, "PRAGMA "+name); err != nil {
			return "", err
		}
		all = append(all, name+"="+value)
	}
	return fmt.Sprintf("%s connections=%d", strings.Join(all, " "), pool.Stats().MaxOpenConnections), nil
}

// SetMaxConnections changes the size of the pool.
func (db *DB) SetMaxConnections(n int) { db.write.SetMaxOpenConns(n) }

// MaxConnections is the size of the pool.
func (db *DB) MaxConnections() int { return db.write.Stats().MaxOpenConnections }

// MigrateUntil migrates and calls reached after each statement, before and after it is noted: with "13.1 executed" and
// "13.1 noted". An error of reached stops it there, like a process that dies.
func (db *DB) MigrateUntil(ctx context.Context, reached func(point string) error, progress func(line string)) error {
	s, err := db.schema()
	if err != nil {
		return err
	}
	return s.Migrate(ctx, progress, reached)
}

// Describe returns the tables, indexes and constraints of the schema as text, to compare two databases.
func (db *DB) Describe(ctx context.Context) (string, error) {
	query := `SELECT COALESCE(sql, name) FROM sqlite_master WHERE name <> 'schema_versions' UNION ALL
		SELECT 'schema_versions ' || name || type || "notnull" || COALESCE(dflt_value, '')
		FROM pragma_table_info('schema_versions')
		ORDER BY 1`
	if db.postgres {
		query = `SELECT line FROM (
				SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' '
					|| COALESCE(column_default, '') AS line
				FROM information_schema.columns WHERE table_schema = current_schema()
			UNION ALL
				SELECT pg_get_indexdef(indexrelid) || ' valid ' || indisvalid::text FROM pg_index
				WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
			UNION ALL
				SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
				WHERE connamespace = current_schema()::regnamespace
			) AS lines ORDER BY line`
	}
	var lines []string
	err := db.list(ctx, &lines, query)
	return strings.Join(lines, "\n"), err
}

// Number reads one number.
func (db *DB) Number(ctx context.Context, query string) (int, error) {
	var n int
	err := db.get(ctx, &n, query)
	return n, err
}

// IsPostgres says which kind of database it is.
func (db *DB) IsPostgres() bool { return db.postgres }

// ExecAll runs statements written like those of schema files, in one transaction.
func (db *DB) ExecAll(ctx context.Context, text string) error {
	files := fstest.MapFS{"0001_all.sql": &fstest.MapFile{Data: []byte(text)}}
	all, err := schema.Read(files)
	if err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *DB) error {
		for _, statement := range all[0].Statements(db.postgres) {
			if _, err := tx.exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
}
