package backup_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"portico/store"
	"portico/store/backup"
	"portico/store/whole"
)

// The tests that kill a backup or a restore run themselves again as another program with these variables.
const (
	killedCommand  = "BACKUP_TEST_COMMAND" // backup or restore
	killedDatabase = "BACKUP_TEST_DATABASE"
	killedFile     = "BACKUP_TEST_FILE"
)

// runKilled makes or restores a backup and ends the program.
func runKilled() {
	ctx, i := context.Background(), at(os.Getenv(killedDatabase))
	file, err := backup.ParsePlace(os.Getenv(killedFile))
	if err == nil && os.Getenv(killedCommand) == "restore" {
		_, err = backup.Restore(ctx, i, file, false)
	} else if err == nil {
		var db *store.DB
		if db, err = store.OpenMigrated(ctx, i.Database); err == nil {
			_, err = backup.Write(ctx, i, db, file)
		}
	}
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

// killWhen runs a command and kills it as soon as a file matches the pattern. It reports whether the command was killed
// before it ended.
func killWhen(t *testing.T, pattern, command, database, file string) (killed bool) {
	t.Helper()
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), killedCommand+"="+command, killedDatabase+"="+database, killedFile+"="+file,
		"TMPDIR="+filepath.Dir(file))
	must(t, program.Start())
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	for {
		select {
		case err := <-ended:
			must(t, err)
			return false
		default:
		}
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			must(t, program.Process.Kill())
			return <-ended != nil
		}
	}
}

// fill makes a database that takes a moment to copy.
func fill(t *testing.T, i backup.Installation) *store.DB {
	t.Helper()
	db := open(t, i)
	noise := make([]byte, 500)
	must(t, db.Tx(t.Context(), func(tx *store.DB) error {
		for range 3000 {
			_, _ = rand.Read(noise) // never fails
			e := store.AuditEvent{At: 1, Kind: "fill", Detail: hex.EncodeToString(noise)}
			if err := tx.Audit.Add(t.Context(), e); err != nil {
				return err
			}
		}
		return nil
	}))
	return db
}

// maxTries is how often a backup is made to be killed at a stage.
const maxTries = 50

func TestKilledBackupLeavesNoFileUnderItsName(t *testing.T) {
	eachInAll(t, func(t *testing.T, from, _ backup.Installation) {
		db, file := fill(t, from), filepath.Join(t.TempDir(), "copy")
		for _, stage := range []string{".portico-backup-*", ".portico-backup-*/*", ".copy.part-*"} {
			// A stage can be over before this process sees it: then the backup is made again.
			for tries := 0; !killWhen(t, filepath.Join(filepath.Dir(file), stage), "backup", from.Database, file); {
				if tries++; tries == maxTries {
					t.Fatalf("the backup ended before %s, %d times", stage, tries)
				}
				must(t, os.Remove(file))
			}
			if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("killed at %s: %v", stage, err)
			}
			left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*"))
			for _, name := range left {
				must(t, os.RemoveAll(name))
			}
		}
		_, err := backup.Write(t.Context(), from, db, place(t, file))
		must(t, err)
	})
}

// aged makes a file or folder look as if it was last changed some time ago.
func aged(t *testing.T, path string, age time.Duration) {
	t.Helper()
	past := time.Now().Add(-age)
	must(t, os.Chtimes(path, past, past))
}

func TestNextBackupRemovesLeftoversOfKilledOnesAndNothingElse(t *testing.T) {
	from, folder := at("sqlite:"+filepath.Join(t.TempDir(), "a.db")), t.TempDir()
	db, file := fill(t, from), filepath.Join(folder, "copy")
	aside := t.TempDir()
	again := func() {
		t.Helper()
		_, err := backup.Write(t.Context(), from, db, place(t, file))
		must(t, err)
		must(t, os.Remove(file))
	}
	for _, stage := range []string{".portico-backup-*", ".portico-backup-*/*", ".copy.part-*"} {
		for tries := 0; ; tries++ {
			if tries == maxTries {
				t.Fatalf("no killed backup left %s", stage)
			}
			killWhen(t, filepath.Join(folder, stage), "backup", from.Database, file)
			if _, err := os.Stat(file); err == nil { // it was complete before it was killed
				must(t, os.Remove(file))
			}
			found, _ := filepath.Glob(filepath.Join(folder, stage))
			for _, name := range names(t, folder) {
				must(t, os.Rename(filepath.Join(folder, name), filepath.Join(aside, name)))
			}
			if len(found) > 0 {
				break
			}
		}
	}
	left := names(t, aside)
	for _, name := range left {
		must(t, os.Rename(filepath.Join(aside, name), filepath.Join(folder, name)))
	}
	for _, name := range left {
		aged(t, filepath.Join(folder, name), 57*time.Minute)
	}
	again() // they are too young
	wantFiles(t, folder, left...)
	for _, name := range left {
		aged(t, filepath.Join(folder, name), time.Hour)
	}
	again()
	wantFiles(t, folder)

	// What looks like a leftover, and is not.
	make0700 := func(name string, inside ...string) {
		must(t, os.Mkdir(filepath.Join(folder, name), 0o700))
		for _, file := range inside {
			must(t, os.WriteFile(filepath.Join(folder, name, file), []byte("mine"), 0o600))
		}
	}
	make0700(".portico-backup-1", "database", "notes")
	make0700(".portico-backup-old", "database")
	make0700(".portico-backup-3", "database") // of a program that runs: locked below
	make0700(".portico-backup-4")
	must(t, os.Chmod(filepath.Join(folder, ".portico-backup-4"), 0o755))
	must(t, os.Symlink(t.TempDir(), filepath.Join(folder, ".portico-backup-5")))
	for _, name := range []string{".copy.part-6", ".other.part-7", ".copy.part-x", ".copy.part-8"} {
		must(t, os.WriteFile(filepath.Join(folder, name), []byte("mine"), 0o600))
	}
	must(t, os.Chmod(filepath.Join(folder, ".copy.part-8"), 0o644))
	for _, name := range []string{".portico-backup-3", ".copy.part-6"} {
		running, err := os.Open(filepath.Join(folder, name))
		must(t, err)
		must(t, syscall.Flock(int(running.Fd()), syscall.LOCK_EX))
		defer func() { _ = running.Close() }()
	}
	kept := names(t, folder)
	for _, name := range kept {
		aged(t, filepath.Join(folder, name), 48*time.Hour)
	}
	again()
	wantFiles(t, folder, kept...)
}

func TestKilledRestoreLeavesNothingOrAWholeDatabase(t *testing.T) {
	eachInAll(t, func(t *testing.T, from, to backup.Installation) {
		db, file := fill(t, from), filepath.Join(t.TempDir(), "copy")
		m, err := backup.Write(t.Context(), from, db, place(t, file))
		must(t, err)
		folder := filepath.Dir(file)
		if !db.Postgres() {
			folder = filepath.Dir(to.Database[len("sqlite:"):])
		}
		if !killWhen(t, filepath.Join(folder, "*portico-restore-*", "database"), "restore", to.Database, file) {
			t.Fatal("the restore ended before it was killed")
		}
		// A pg_restore that goes on alone ends soon, so the second restore is repeated until it has an answer.
		for deadline := time.Now().Add(time.Minute); ; {
			_, err = backup.Restore(t.Context(), to, place(t, file), false)
			if err == nil || errors.Is(err, backup.ErrNotEmpty) || time.Now().After(deadline) {
				break
			}
		}
		if err != nil && !errors.Is(err, backup.ErrNotEmpty) {
			t.Fatal(err)
		}
		restored, err := store.OpenMigrated(t.Context(), to.Database)
		must(t, err)
		defer func() { _ = restored.Close() }()
		c, err := whole.ContentsOf(t.Context(), restored)
		if err != nil || c.Rows["audit_events"] != m.Rows["audit_events"] {
			t.Errorf("%d events instead of %d: %v", c.Rows["audit_events"], m.Rows["audit_events"], err)
		}
	})
}
