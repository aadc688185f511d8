package backup

import (
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

	"portico/store"
)

func engineOf(address string) string {
	if _, ok := sqlitePath(address); ok {
		return SQLite
	}
	return Postgres
}

func sqlitePath(address string) (path string, ok bool) { return strings.CutPrefix(address, "sqlite:") }

// dumpSQLite writes a compressed copy of a running database to a file.
func dumpSQLite(ctx context.Context, db *store.DB, dir, file string) error {
	plain := filepath.Join(dir, "plain.db")
	if err := db.Backup(ctx, plain); err != nil {
		return err
	}
	defer func() { _ = os.Remove(plain) }()
	in, err := os.Open(plain)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	packed, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	_, err = io.Copy(packed, in)
	return errors.Join(err, packed.Close(), out.Close())
}

// verifySQLite unpacks a compressed database to plain and lets SQLite check it.
func verifySQLite(ctx context.Context, file, plain string, m Manifest) error {
	if err := unpack(file, plain); err != nil {
		return err
	}
	db, err := sql.Open("sqlite3", "file:"+plain+"?mode=ro&immutable=1")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var result string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&result); err != nil || result != "ok" {
		return fmt.Errorf("%w: SQLite says %q: %v", ErrDamaged, result, err)
	}
	rows, err := db.QueryContext(ctx, "PRAGMA foreign_key_check")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	if rows.Next() {
		return fmt.Errorf("%w: a row refers to another row that is missing", ErrDamaged)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	var version int
	if err := db.QueryRowContext(ctx, "SELECT MAX(version) FROM schema_versions").Scan(&version); err != nil ||
		version != m.Schema {
		return fmt.Errorf("%w: the schema has version %d, the manifest says %d: %v", ErrDamaged, version, m.Schema, err)
	}
	return nil
}

func unpack(file, plain string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	packed, err := gzip.NewReader(in)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	out, err := os.OpenFile(plain, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(
		out,
		packed,
	); err != nil &&
		(errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF)) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return errors.Join(err, packed.Close(), out.Sync(), out.Close())
}

// restoreSQLite puts the database in place. With replace, the database that was there stays beside it under another
// name.
func restoreSQLite(ctx context.Context, file, plain, address string, m Manifest, replace bool) error {
	if err := verifySQLite(ctx, file, plain, m); err != nil {
		return err
	}
	path, _ := sqlitePath(address)
	info, err := os.Stat(path)
	there := err == nil && info.Size() > 0
	if there && !replace {
		return fmt.Errorf("%w: %s", ErrNotEmpty, path)
	}
	if there {
		aside := path + ".before-restore-" + time.Now().UTC().Format("20060102T150405Z")
		for _, end := range []string{"-wal", "-shm", ""} { // the database last: until then it is complete
			if err := os.Rename(path+end, aside+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if err := os.Rename(plain, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes renames within a folder survive a power cut.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
