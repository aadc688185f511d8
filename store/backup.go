package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
