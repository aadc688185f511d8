package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"filippo.io/age"

	"portico/store"
	"portico/store/schema"
	"portico/store/whole"
)

// Verify reads a whole archive and checks it: its checksums, and the database in it (a SQLite file with SQLite's own
// checks, its references and the number of rows; a dump of Postgres by its table of contents). An encrypted archive
// needs one of its private keys. ErrForeign, ErrDamaged, ErrIdentity, ErrTool; schema.ErrNewer for a database that this
// program is too old for.
func Verify(ctx context.Context, from Place, keys ...age.Identity) (Manifest, error) {
	work, remove, err := makeWork("", "portico-verify", time.Now())
	if err != nil {
		return Manifest{}, fmt.Errorf("backup: %w", err)
	}
	defer remove()
	return unpack(ctx, from, keys, filepath.Join(work, "database"))
}

// unpack writes the database of an archive into a new file and checks it.
func unpack(ctx context.Context, from Place, keys Identities, path string) (m Manifest, err error) {
	in, err := from.open(ctx)
	if err != nil {
		return m, err
	}
	defer func() { _ = in.Close() }()
	clear, encrypted, err := decrypt(in, keys)
	if err != nil {
		return m, err
	}
	source := &sourceReader{Reader: clear}
	if m, err = readArchive(source, path); err != nil {
		if encrypted && source.err != nil {
			err = ErrDamaged
		}
		return m, err
	}
	m.Encrypted = encrypted
	known, err := schema.Own()
	if err != nil {
		return m, err
	}
	if m.Engine == Postgres {
		if err := checkDump(ctx, m, path); err != nil {
			return m, err
		}
		if m.Schema > len(known) {
			return m, fmt.Errorf("%w: the backup is at version %d, this program knows %d", schema.ErrNewer, m.Schema,
				len(known))
		}
		return m, nil
	}
	c, err := whole.CheckFile(ctx, path)
	if err != nil {
		return m, err
	}
	return m, compare(m, c)
}

// compare returns ErrDamaged when a database does not contain what the manifest says.
func compare(m Manifest, c whole.Contents) error {
	if c.Schema != m.Schema {
		return fmt.Errorf("%w: its schema is at version %d instead of %d", ErrDamaged, c.Schema, m.Schema)
	}
	for table, rows := range m.Rows {
		if n, known := c.Rows[table]; known && n != rows {
			return fmt.Errorf("%w: the table %s has %d rows instead of %d", ErrDamaged, table, n, rows)
		}
	}
	if !maps.EqualFunc(m.Rows, c.Rows, func(a, b int) bool { return a == b }) && len(c.Rows) < len(m.Rows) {
		return fmt.Errorf("%w: it has %d tables instead of %d", ErrDamaged, len(c.Rows), len(m.Rows))
	}
	return nil
}

// ErrNotEmpty says that there is a database where an archive should be restored.
var ErrNotEmpty = errors.New("restore: there is a database already")

// ErrOtherEngine says that an archive of SQLite should be restored into Postgres or the other way round.
var ErrOtherEngine = errors.New("restore: a backup can only be restored into the same kind of database")

// Restored says what Restore did.
type Restored struct {
	Manifest Manifest
	Kept     string // path of the SQLite file that was replaced; "" when there was none
}

// Restore writes an archive into the database of the installation, which must be missing or empty, and checks the
// result. It does not change the schema. With replace it replaces a SQLite file that no program uses and keeps the old
// one beside it; a Postgres database is never replaced. When it fails, the database is as before. When the program is
// killed, the database is as before or restored and checked: Postgres loads and checks it in one transaction.
// ErrNotEmpty, ErrOtherEngine, and the errors of Verify.
func Restore(ctx context.Context, i Installation, from Place, replace bool) (Restored, error) {
	if isPostgres(i.Database) {
		m, err := restorePostgres(ctx, i, from, replace)
		return Restored{Manifest: m}, err
	}
	target := strings.TrimPrefix(i.Database, "sqlite:")
	info, err := os.Stat(target)
	exists := err == nil && info.Size() > 0
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	if exists && !replace {
		return Restored{}, fmt.Errorf("%w: %s; -replace puts the backup in its place and keeps the old file beside it",
			ErrNotEmpty, target)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	work, remove, err := makeWork(filepath.Dir(target), ".portico-restore", i.Now())
	if err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	defer remove()
	part := filepath.Join(work, "database")
	m, err := unpack(ctx, from, i.Identities, part)
	if err != nil {
		return Restored{}, err
	}
	if m.Engine != SQLite {
		return Restored{}, fmt.Errorf("%w: the backup is of %s, PORTICO_DATABASE of SQLite", ErrOtherEngine, m.Engine)
	}
	kept, err := i.keepOld(ctx, target, exists)
	if err != nil {
		return Restored{}, err
	}
	if err := os.Rename(part, target); err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	return Restored{m, kept}, syncFolder(filepath.Dir(target))
}

// keepOld gives the present SQLite file a second name, under which it stays.
func (i Installation) keepOld(ctx context.Context, target string, exists bool) (kept string, err error) {
	if !exists {
		// What an earlier file left beside the name would be read as part of the new one.
		return "", errors.Join(removeIfThere(target+"-wal"), removeIfThere(target+"-shm"))
	}
	if err := whole.SettleFile(ctx, target); err != nil {
		return "", err
	}
	kept = target + ".before-" + i.Now().UTC().Format("20060102T150405Z")
	if err := os.Link(target, kept); err != nil {
		return "", fmt.Errorf("restore: %w", err)
	}
	return kept, nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

func restorePostgres(ctx context.Context, i Installation, from Place, replace bool) (m Manifest, err error) {
	if replace {
		return m, errors.New("restore: -replace is for SQLite; create a new Postgres database, restore into it and " +
			"keep the old one until the new one has proved itself")
	}
	db, err := store.Open(ctx, i.Database)
	if err != nil {
		return m, err
	}
	defer func() { _ = db.Close() }()
	tables, err := whole.TableCount(ctx, db)
	if err != nil {
		return m, err
	}
	if tables > 0 {
		return m, fmt.Errorf("%w: it has %d tables; create a new Postgres database and restore into that", ErrNotEmpty,
			tables)
	}
	work, remove, err := makeWork("", "portico-restore", i.Now())
	if err != nil {
		return m, fmt.Errorf("restore: %w", err)
	}
	defer remove()
	path := filepath.Join(work, "database")
	if m, err = unpack(ctx, from, i.Identities, path); err != nil {
		return m, err
	}
	if m.Engine != Postgres {
		return m, fmt.Errorf("%w: the backup is of %s, PORTICO_DATABASE of Postgres", ErrOtherEngine, m.Engine)
	}
	return m, load(ctx, db, m, path)
}
