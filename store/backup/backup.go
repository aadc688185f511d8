// Package backup writes the whole database into one archive, in a folder or a bucket, checks such an archive and
// restores it. An archive is made while the program serves. It does not contain PORTICO_SECRET and the files of
// PORTICO_UPLOADS, which a platform needs too.
package backup

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"portico/store"
	"portico/store/whole"
)

// Format is the version of the archives that this program writes. It reads no other.
const Format = 1

// The engines of a Manifest.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// Manifest describes an archive. It is the archive's first file.
type Manifest struct {
	Format  int            `json:"format"`
	Program string         `json:"program"` // version of the program that wrote it
	Schema  int            `json:"schema"`  // version of the database's schema
	Engine  string         `json:"engine"`  // SQLite or Postgres
	MadeAt  time.Time      `json:"made_at"` // when the backup began, in UTC
	Rows    map[string]int `json:"rows"`    // number of rows by table
	Size    int64          `json:"size"`    // of the database's file, in bytes
	SHA256  string         `json:"sha256"`  // of the database's file, in hexadecimal
	// Dump is the major version of pg_dump, whose dumps an older pg_restore may not read. 0 for SQLite.
	Dump int `json:"dump,omitempty"`
	// Keys has a fingerprint of each key of PORTICO_SECRET, the sealing one first.
	Keys []string `json:"keys"`
	// Encrypted says that the archive that was read is encrypted.
	Encrypted bool `json:"-"`
}

// Installation is what the package needs to know of the running program.
type Installation struct {
	Database string   // its address, as in PORTICO_DATABASE
	Secrets  [][]byte // keys of PORTICO_SECRET
	Program  string   // version of the program
	Now      func() time.Time
	// Recipients are who can read the archives that are written; none for archives that are not encrypted.
	Recipients Recipients
	Identities Identities // private keys that read encrypted archives
}

// fingerprint returns a name of a master key that does not reveal it.
func fingerprint(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("portico backup fingerprint"))
	return hex.EncodeToString(mac.Sum(nil)[:fingerprintBytes])
}

// fingerprintBytes is the length of a fingerprint before it is written in hexadecimal.
const fingerprintBytes = 12

func (i Installation) fingerprints() (all []string) {
	for _, key := range i.Secrets {
		all = append(all, fingerprint(key))
	}
	return all
}

// KeyWarning returns a line that says what is lost when no key of PORTICO_SECRET is the one that sealed the values in
// the archive, "" when one is.
func (i Installation) KeyWarning(m Manifest) string {
	if len(m.Keys) > 0 && slices.Contains(i.fingerprints(), m.Keys[0]) {
		return ""
	}
	return "PORTICO_SECRET does not contain the key with which this backup's secrets were sealed: set the former " +
		"key, or companies enter their WeChat and WeCom credentials anew and everybody signs in again"
}

// Write makes an archive of the database at the place and returns its manifest. Until it is complete and on disk, the
// place has no file or object under this name. It needs free space for the whole database in the folder of the place,
// or in the folder for temporary files when the place is a bucket. ErrExists, ErrTool.
func Write(ctx context.Context, i Installation, db *store.DB, to Place) (m Manifest, err error) {
	if err := to.check(ctx); err != nil {
		return m, err
	}
	work, remove, err := makeWork(to.workFolder(), ".portico-backup", i.Now())
	if err != nil {
		return m, fmt.Errorf("backup: %w", err)
	}
	defer remove()
	if to.file != "" {
		removeLeftovers(filepath.Dir(to.file), filepath.Base(to.file), i.Now())
	}
	copied := filepath.Join(work, "database")
	m = Manifest{
		Format: Format, Program: i.Program, Engine: SQLite, MadeAt: i.Now().UTC().Truncate(time.Second),
		Keys: i.fingerprints(),
	}
	contents, dumped, err := copyDatabase(ctx, i, db, copied)
	if err != nil {
		return m, err
	}
	if db.Postgres() {
		m.Engine = Postgres
	}
	m.Schema = contents.Schema
	m.Rows = contents.Rows
	m.Dump = dumped
	if m.Size, m.SHA256, err = digest(copied); err != nil {
		return m, fmt.Errorf("backup: %w", err)
	}
	file, err := os.Open(copied)
	if err != nil {
		return m, fmt.Errorf("backup: %w", err)
	}
	defer func() { _ = file.Close() }()
	m.Encrypted = len(i.Recipients) > 0
	return m, to.put(ctx, func(out writer) error {
		return encryptFor(i.Recipients, out, func(out io.Writer) error { return writeArchive(out, m, file) })
	})
}

// copyDatabase writes a consistent copy of the database into a file. It returns what the copy contains and, for
// Postgres, the major version of pg_dump.
func copyDatabase(ctx context.Context, i Installation, db *store.DB, path string) (
	c whole.Contents, dumped int, err error,
) {
	if !db.Postgres() {
		if err := db.Backup(ctx, path); err != nil {
			return c, 0, err
		}
		c, err = whole.CheckFile(ctx, path)
		return c, 0, err
	}
	err = whole.Snapshot(ctx, db, func(snapshot string, contents whole.Contents) (err error) {
		c = contents
		dumped, err = dump(ctx, i.Database, db, snapshot, path)
		return err
	})
	return c, dumped, err
}

// ErrForeign says that a file is no archive of this program, or one in a format that it does not know.
var ErrForeign = errors.New("backup: this is no backup that this program can read")

// ErrDamaged says that an archive is cut short or changed.
var ErrDamaged = errors.New("backup: the backup is damaged or incomplete; use another one")

func isPostgres(address string) bool { return !strings.HasPrefix(address, "sqlite:") }
