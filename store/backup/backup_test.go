package backup_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/store"
	"portico/store/backup"
	"portico/store/schema"
	"portico/store/storetest"
	"portico/store/whole"
)

func TestMain(m *testing.M) {
	if os.Getenv(killedCommand) != "" {
		runKilled()
	}
	storetest.Main(m)
}

var key = []byte("canary-master-key-of-32-bytes-aa")

func at(address string) backup.Installation {
	return backup.Installation{Database: address, Secrets: [][]byte{key}, Program: "test", Now: time.Now}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func place(t testing.TB, text string) backup.Place {
	t.Helper()
	p, err := backup.ParsePlace(text)
	must(t, err)
	return p
}

// eachEngine runs a test with an installation that has a migrated database, and one whose database is missing or empty:
// on SQLite and on Postgres.
func eachEngine(t *testing.T, test func(t *testing.T, from, to backup.Installation)) {
	onSQLite(t, test)
	onPostgres(t, test)
}

// eachInAll runs a test as eachEngine does, in make test on SQLite only. It is for what an archive is, whatever
// database it came from.
func eachInAll(t *testing.T, test func(t *testing.T, from, to backup.Installation)) {
	onSQLite(t, test)
	if testscope.All() {
		onPostgres(t, test)
	}
}

func onSQLite(t *testing.T, test func(t *testing.T, from, to backup.Installation)) {
	t.Run("sqlite", func(t *testing.T) {
		test(t, at("sqlite:"+filepath.Join(t.TempDir(), "a.db")), at("sqlite:"+filepath.Join(t.TempDir(), "b.db")))
	})
}

func onPostgres(t *testing.T, test func(t *testing.T, from, to backup.Installation)) {
	t.Run("postgres", func(t *testing.T) {
		test(t, at(storetest.PostgresURL(t)), at(storetest.PostgresURL(t)))
	})
}

func open(t testing.TB, i backup.Installation) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), i.Database)
	must(t, err)
	must(t, db.Migrate(t.Context()))
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func event(t testing.TB, db *store.DB, kind string) {
	t.Helper()
	must(t, db.Audit.Add(t.Context(), store.AuditEvent{At: 1, Kind: kind}))
}

// written makes a database with one event and an archive of it.
func written(t *testing.T, from backup.Installation) (file string) {
	t.Helper()
	db := open(t, from)
	event(t, db, "canary-event")
	file = filepath.Join(t.TempDir(), "copy")
	_, err := backup.Write(t.Context(), from, db, place(t, file))
	must(t, err)
	return file
}

func TestEveryChangeBeforeABackupUnderLoadIsRestored(t *testing.T) {
	eachEngine(t, func(t *testing.T, from, to backup.Installation) {
		db := open(t, from)
		before := 0
		for range 50 {
			event(t, db, "before")
			before++
		}
		ctx, stop := context.WithCancel(t.Context())
		var writers sync.WaitGroup
		for range 2 {
			writers.Go(func() {
				for ctx.Err() == nil {
					err := db.Audit.Add(context.WithoutCancel(ctx), store.AuditEvent{At: 2, Kind: "during"})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		file := filepath.Join(t.TempDir(), "copy")
		m, err := backup.Write(t.Context(), from, db, place(t, file))
		stop()
		writers.Wait()
		must(t, err)
		done, err := backup.Restore(t.Context(), to, place(t, file), false)
		must(t, err)
		restored, err := store.OpenMigrated(t.Context(), to.Database)
		must(t, err)
		defer func() { _ = restored.Close() }()
		c, err := whole.ContentsOf(t.Context(), restored)
		must(t, err)
		if n := c.Rows["audit_events"]; n < before || n != m.Rows["audit_events"] || done.Manifest.SHA256 != m.SHA256 {
			t.Errorf("%d events were acknowledged before, the archive says %d, restored are %d", before,
				m.Rows["audit_events"], n)
		}
	})
}

func TestBackupIsPrivateAndLeavesNoOtherFile(t *testing.T) {
	eachInAll(t, func(t *testing.T, from, _ backup.Installation) {
		file := written(t, from)
		info, err := os.Stat(file)
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v", info.Mode())
		}
		wantFiles(t, filepath.Dir(file), "copy")
		database := filepath.Join(t.TempDir(), "database")
		backup.Extract(t, file, database)
		if info, err = os.Stat(database); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the database in it gets mode %v, %v", info.Mode(), err)
		}
	})
}

func wantFiles(t *testing.T, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	if strings.Join(found, " ") != strings.Join(names, " ") {
		t.Errorf("the folder has %q instead of %q", found, names)
	}
}

func TestBackupNeverReplacesAFile(t *testing.T) {
	from := at("sqlite:" + filepath.Join(t.TempDir(), "a.db"))
	db := open(t, from)
	file := filepath.Join(t.TempDir(), "copy")
	must(t, os.WriteFile(file, []byte("precious"), 0o600))
	if _, err := backup.Write(t.Context(), from, db, place(t, file)); !errors.Is(err, backup.ErrExists) {
		t.Errorf("%v", err)
	}
	if kept, _ := os.ReadFile(file); string(kept) != "precious" {
		t.Errorf("the file now reads %q", kept)
	}
}

func TestBackupIntoAMissingFolderFailsAndLeavesNothing(t *testing.T) {
	from, folder := at("sqlite:"+filepath.Join(t.TempDir(), "a.db")), t.TempDir()
	db := open(t, from)
	if _, err := backup.Write(t.Context(), from, db, place(t, filepath.Join(folder, "typo", "copy"))); err == nil {
		t.Error("the backup succeeded")
	}
	wantFiles(t, folder)
}

func TestTruncatedChangedAndForeignFilesAreRefused(t *testing.T) {
	eachInAll(t, func(t *testing.T, from, to backup.Installation) {
		whole, err := os.ReadFile(written(t, from))
		must(t, err)
		files := map[string][]byte{"empty": nil, "foreign": []byte("SQLite format 3\x00 and more")}
		for _, part := range []int{1, 10, 50, 99} {
			files["truncated"+string(rune('a'+part))] = whole[:len(whole)*part/100]
		}
		files["without the last byte"] = whole[:len(whole)-1]
		for _, part := range []int{5, 50, 95} {
			changed := append([]byte(nil), whole...)
			changed[len(changed)*part/100] ^= 0x10
			files["changed"+string(rune('a'+part))] = changed
		}
		for name, data := range files {
			file := filepath.Join(t.TempDir(), "copy")
			must(t, os.WriteFile(file, data, 0o600))
			_, err := backup.Verify(t.Context(), place(t, file))
			if !errors.Is(err, backup.ErrDamaged) && !errors.Is(err, backup.ErrForeign) {
				t.Errorf("%s: verify says %v", name, err)
			}
			if _, err := backup.Restore(t.Context(), to, place(t, file), false); err == nil {
				t.Errorf("%s was restored", name)
			}
			if _, err := store.OpenMigrated(t.Context(), to.Database); !errors.Is(err, schema.ErrNoDatabase) {
				t.Errorf("%s left a database behind: %v", name, err)
			}
		}
	})
}

func TestRestoreOfOtherRowsLeavesTheDatabaseEmpty(t *testing.T) {
	eachInAll(t, func(t *testing.T, from, to backup.Installation) {
		file, changed := written(t, from), filepath.Join(t.TempDir(), "changed")
		backup.WriteChanged(t, file, changed, func(m *backup.Manifest) { m.Rows["audit_events"]++ })
		_, err := backup.Restore(t.Context(), to, place(t, changed), false)
		if !errors.Is(err, backup.ErrDamaged) || !strings.Contains(err.Error(), "audit_events") {
			t.Errorf("%v", err)
		}
		if _, err := store.OpenMigrated(t.Context(), to.Database); !errors.Is(err, schema.ErrNoDatabase) {
			t.Errorf("a database was left behind: %v", err)
		}
		// The same place is good for a backup that is whole.
		_, err = backup.Restore(t.Context(), to, place(t, file), false)
		must(t, err)
	})
}

func TestArchivesOfAnotherFormatAndOversizedManifestsAreRefused(t *testing.T) {
	from := at("sqlite:" + filepath.Join(t.TempDir(), "a.db"))
	file := written(t, from)
	largest := func(more int) func(m *backup.Manifest) {
		return func(m *backup.Manifest) {
			text, err := json.Marshal(m)
			must(t, err)
			m.Program += strings.Repeat("x", 1<<20-len(text)+more)
		}
	}
	for name, c := range map[string]struct {
		change   func(m *backup.Manifest)
		accepted bool
	}{
		"format 0":                     {func(m *backup.Manifest) { m.Format = 0 }, false},
		"format 1":                     {func(m *backup.Manifest) { m.Format = 1 }, true},
		"format 2":                     {func(m *backup.Manifest) { m.Format = 2 }, false},
		"a manifest of 1 MB":           {largest(0), true},
		"a manifest of one byte above": {largest(1), false},
	} {
		changed := filepath.Join(t.TempDir(), "changed")
		backup.WriteChanged(t, file, changed, c.change)
		_, err := backup.Verify(t.Context(), place(t, changed))
		if (err == nil) != c.accepted || err != nil && !errors.Is(err, backup.ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if m, err := backup.Verify(t.Context(), place(t, file)); err != nil || m.Format != 1 {
		t.Errorf("the program writes format %d: %v", m.Format, err)
	}
}

func TestRestoreRefusesADatabaseThatIsNotEmpty(t *testing.T) {
	eachEngine(t, func(t *testing.T, from, to backup.Installation) {
		file := written(t, from)
		present := open(t, to)
		event(t, present, "present")
		event(t, present, "present")
		if _, err := backup.Restore(t.Context(), to, place(t, file), false); !errors.Is(err, backup.ErrNotEmpty) {
			t.Errorf("%v", err)
		}
		if c, err := whole.ContentsOf(t.Context(), present); err != nil || c.Rows["audit_events"] != 2 {
			t.Errorf("the database has changed: %v %v", c, err)
		}
	})
}

func TestRestoreKeepsTheReplacedSQLiteFile(t *testing.T) {
	from, path := at("sqlite:"+filepath.Join(t.TempDir(), "a.db")), filepath.Join(t.TempDir(), "b.db")
	to, file := at("sqlite:"+path), written(t, from)
	present, err := store.Open(t.Context(), to.Database)
	must(t, err)
	must(t, present.Migrate(t.Context()))
	event(t, present, "present")
	event(t, present, "present")
	if _, err := backup.Restore(t.Context(), to, place(t, file), true); !errors.Is(err, whole.ErrInUse) {
		t.Errorf("a file in use: %v", err)
	}
	must(t, present.Close())
	done, err := backup.Restore(t.Context(), to, place(t, file), true)
	must(t, err)
	for name, want := range map[string]int{path: 1, done.Kept: 2} {
		c, err := whole.CheckFile(t.Context(), name)
		if err != nil || c.Rows["audit_events"] != want {
			t.Errorf("%s has %d events, want %d: %v", name, c.Rows["audit_events"], want, err)
		}
	}
}

func TestBackupOfOtherEngineIsRefused(t *testing.T) {
	lite, post := at("sqlite:"+filepath.Join(t.TempDir(), "a.db")), at(storetest.PostgresURL(t))
	ofLite, ofPost := written(t, lite), written(t, post)
	missing := filepath.Join(t.TempDir(), "b.db")
	if _, err := backup.Restore(t.Context(), at("sqlite:"+missing), place(t, ofPost), false); !errors.Is(
		err, backup.ErrOtherEngine) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was left: %v", err)
	}
	if _, err := backup.Restore(t.Context(), at(storetest.PostgresURL(t)), place(t, ofLite), false); !errors.Is(
		err, backup.ErrOtherEngine) {
		t.Errorf("%v", err)
	}
}

func TestKeyWarningAppearsOnlyWithoutTheKeyOfTheBackup(t *testing.T) {
	from := at("sqlite:" + filepath.Join(t.TempDir(), "a.db"))
	m, err := backup.Verify(t.Context(), place(t, written(t, from)))
	must(t, err)
	if warning := from.KeyWarning(m); warning != "" {
		t.Error(warning)
	}
	from.Secrets = [][]byte{[]byte("another-master-key-of-32-bytes-a")}
	if warning := from.KeyWarning(m); !strings.Contains(warning, "PORTICO_SECRET") {
		t.Errorf("%q", warning)
	}
	from.Secrets = append(from.Secrets, key)
	if warning := from.KeyWarning(m); warning != "" {
		t.Error(warning)
	}
	// Earlier programs wrote the same fingerprint. It reveals 96 bits of a hash of the key.
	if got := strings.Join(m.Keys, " "); got != "1b43bb2c45225c1e414fca35" {
		t.Errorf("the fingerprint of the key is %q", got)
	}
}

func TestErrorsOfPlacesContainNoKey(t *testing.T) {
	for _, wrong := range []string{
		"s3://KEY:canary@endpoint", "s3://KEY:canary@endpoint/bucket", "s3://KEY:canary@/bucket/a", "s3://canary",
		"s3://KEY:canary@endpoint/bucket/a#1",
		"", "a/",
	} {
		if _, err := backup.ParsePlace(wrong); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if text := place(t, "s3://KEY:canary@127.0.0.1:1/bucket/a").String(); strings.Contains(text, "canary") {
		t.Error(text)
	}
}
