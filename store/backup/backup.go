// Package backup makes, checks and restores backups of a running platform's database, on SQLite and on Postgres.
//
// A backup is a tar file with two members: manifest.json and the database. On SQLite the database is a compressed
// database file, on Postgres it is what pg_dump writes in its custom format. Both can be taken out by hand.
package backup

import (
	"archive/tar"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"portico/store"
)

// Format is the version of the format that this program writes. It reads this version only.
const Format = 1

// The engines of databases.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

const manifestName = "manifest.json"

// databaseNames are the names of the member with the database, by engine.
var databaseNames = map[string]string{SQLite: "database.sqlite.gz", Postgres: "database.pgdump"}

// Manifest describes a backup.
type Manifest struct {
	Format  int       `json:"format"`
	Program string    `json:"program"` // version of the program that made it
	Engine  string    `json:"engine"`
	Schema  int       `json:"schema"` // version of the database's schema
	MadeAt  time.Time `json:"made_at"`
	Bytes   int64     `json:"bytes"`  // of the member with the database
	SHA256  string    `json:"sha256"` // of the same, in hex
	// Key is a fingerprint of the master key, in hex. Without that key, credentials of companies and phones of
	// applicants cannot be opened.
	Key string `json:"key"`
}

// The errors of backups that cannot be used.
var (
	ErrDamaged   = errors.New("the backup is damaged")
	ErrForeign   = errors.New("this is not a backup of Portico")
	ErrNewer     = errors.New("a newer program made the backup; use that program or a newer one")
	ErrEngine    = errors.New("the backup is of another kind of database")
	ErrNotEmpty  = errors.New("the database is not empty")
	ErrOtherKey  = errors.New("the backup was made with another master key")
	ErrNoProgram = errors.New("a program of Postgres is missing")
)

// Fingerprint returns the fingerprint of a master key. It does not reveal the key.
func Fingerprint(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("portico backup"))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// Source is what a backup is made of.
type Source struct {
	DB      *store.DB
	Address string // sqlite:PATH or postgres://…
	Program string // version of this program
	Key     []byte // the first master key
	Folder  string // for temporary files, which need as much room as the backup; "" for the system's
}

// Make writes a backup of a running database. The database serves meanwhile. The backup contains every change that was
// acknowledged before Make was called.
func Make(ctx context.Context, s Source, out io.Writer, now time.Time) (Manifest, error) {
	dir, err := os.MkdirTemp(s.Folder, "portico-backup-")
	if err != nil {
		return Manifest{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	m := Manifest{
		Format: Format, Program: s.Program, Engine: engineOf(s.Address), MadeAt: now.UTC().Truncate(time.Second),
		Key: Fingerprint(s.Key),
	}
	if m.Schema, _, err = s.DB.SchemaVersion(ctx); err != nil {
		return Manifest{}, err
	}
	file := filepath.Join(dir, "database")
	if m.Engine == SQLite {
		err = dumpSQLite(ctx, s.DB, dir, file)
	} else {
		err = dumpPostgres(ctx, s.Address, file)
	}
	if err != nil {
		return Manifest{}, err
	}
	if m.Bytes, m.SHA256, err = sum(file); err != nil {
		return Manifest{}, err
	}
	return m, writeArchive(out, m, file)
}

// sum returns the size of a file and the SHA-256 of its content, in hex.
func sum(path string) (size int64, digest string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	size, err = io.Copy(hash, file)
	return size, hex.EncodeToString(hash.Sum(nil)), err
}

func writeArchive(out io.Writer, m Manifest, database string) error {
	archive := tar.NewWriter(out)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(header(manifestName, int64(len(text)), m.MadeAt)); err != nil {
		return err
	}
	if _, err := archive.Write(text); err != nil {
		return err
	}
	if err := archive.WriteHeader(header(databaseNames[m.Engine], m.Bytes, m.MadeAt)); err != nil {
		return err
	}
	file, err := os.Open(database)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if _, err := io.Copy(archive, file); err != nil {
		return err
	}
	return archive.Close()
}

func header(name string, size int64, at time.Time) *tar.Header {
	return &tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: at, Format: tar.FormatPAX}
}

// maxManifest is the longest manifest that is read, in bytes.
const maxManifest = 64 << 10

// extract reads an archive and writes its database to a file. It returns ErrForeign, ErrNewer or ErrDamaged when the
// archive cannot be used.
func extract(in io.Reader, file string) (Manifest, error) {
	var m Manifest
	archive := tar.NewReader(in)
	first, err := archive.Next()
	if err != nil || first.Name != manifestName {
		return m, ErrForeign
	}
	if err := json.NewDecoder(io.LimitReader(archive, maxManifest)).Decode(&m); err != nil || m.Format < 1 {
		return m, ErrForeign
	}
	if m.Format > Format {
		return m, fmt.Errorf("%w (format %d)", ErrNewer, m.Format)
	}
	next, err := archive.Next()
	if err != nil || next.Name != databaseNames[m.Engine] || next.Name == "" || next.Size != m.Bytes {
		return m, fmt.Errorf("%w: it does not contain the database that its manifest describes", ErrDamaged)
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return m, err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, hash), archive)
	if err := errors.Join(out.Sync(), out.Close()); err != nil {
		return m, err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return m, fmt.Errorf("%w: it ends too early", ErrDamaged)
	}
	if err != nil {
		return m, err
	}
	if hex.EncodeToString(hash.Sum(nil)) != m.SHA256 {
		return m, fmt.Errorf("%w: its checksum is wrong", ErrDamaged)
	}
	if _, err := archive.Next(); !errors.Is(err, io.EOF) {
		return m, fmt.Errorf("%w: it ends too early", ErrDamaged)
	}
	return m, nil
}

// Check is what Verify and Restore need to know about this platform.
type Check struct {
	Keys   [][]byte // the master keys
	Schema int      // the newest schema version that this program knows
	Folder string   // for temporary files; "" for the system's
}

// problem returns ErrNewer for a backup that this program cannot use, ErrOtherKey for one that was made with a key that
// is not among the keys.
func (c Check) problem(m Manifest) error {
	if m.Schema > c.Schema {
		return fmt.Errorf("%w (schema version %d, this program knows %d)", ErrNewer, m.Schema, c.Schema)
	}
	for _, key := range c.Keys {
		if Fingerprint(key) == m.Key {
			return nil
		}
	}
	return ErrOtherKey
}

// Verify reads a whole backup: its checksum, and whether its database can be read. It returns the manifest, with
// ErrOtherKey when the backup is sound and only the master key is missing.
func Verify(ctx context.Context, in io.Reader, c Check) (Manifest, error) {
	dir, err := os.MkdirTemp(c.Folder, "portico-backup-")
	if err != nil {
		return Manifest{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "database")
	m, err := extract(in, file)
	if err != nil {
		return m, err
	}
	if m.Engine == SQLite {
		err = verifySQLite(ctx, file, filepath.Join(dir, "copy.db"), m)
	} else {
		err = verifyPostgres(ctx, file)
	}
	if err != nil {
		return m, err
	}
	return m, c.problem(m)
}

// Restore writes the database of a backup to an address, where there must be none, unless replace. It changes nothing
// there before it has read and checked the whole backup, and it replaces the database as a whole or not at all. It
// returns ErrOtherKey after a restore whose master key is missing.
func Restore(ctx context.Context, in io.Reader, address string, replace bool, c Check) (Manifest, error) {
	folder := c.Folder
	if path, ok := sqlitePath(address); ok { // renaming works within one file system only
		folder = filepath.Dir(path)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return Manifest{}, err
		}
	}
	dir, err := os.MkdirTemp(folder, ".portico-restore-")
	if err != nil {
		return Manifest{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "database")
	m, err := extract(in, file)
	if err != nil {
		return m, err
	}
	if m.Engine != engineOf(address) {
		return m, fmt.Errorf("%w: it is of %s", ErrEngine, m.Engine)
	}
	problem := c.problem(m)
	if problem != nil && !errors.Is(problem, ErrOtherKey) {
		return m, problem
	}
	if m.Engine == SQLite {
		err = restoreSQLite(ctx, file, filepath.Join(dir, "copy.db"), address, m, replace)
	} else {
		err = restorePostgres(ctx, file, address, replace)
	}
	if err != nil {
		return m, err
	}
	return m, problem
}
