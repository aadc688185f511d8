package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
)

// PretendSchema makes the database look migrated to a version.
func (db *DB) PretendSchema(ctx context.Context, version int) error {
	_, err := db.exec(ctx, "INSERT INTO schema_versions (version, applied_at) VALUES (?, 0)", version)
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
	for _, name := range []string{"synchronous", "foreign_keys", "journal_mode", "busy_timeout", "query_only"} {
		var value string
		if err := pool.GetContext(ctx, &value, "PRAGMA "+name); err != nil {
			return "", err
		}
		all = append(all, name+"="+value)
	}
	return fmt.Sprintf("%s connections=%d", strings.Join(all, " "), pool.Stats().MaxOpenConnections), nil
}

// MaxConnections is the size of the pool.
func (db *DB) MaxConnections() int { return db.write.Stats().MaxOpenConnections }
