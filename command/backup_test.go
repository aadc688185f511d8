package command

import (
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"portico/e2e/testscope"
	"portico/store"
	"portico/store/backup"
	"portico/store/schema"
	"portico/store/storetest"
)

func TestBackupCommandsRestoreCompaniesElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	say := func(database string, args ...string) (string, error) {
		var out strings.Builder
		err := run(t.Context(), args, []string{"PORTICO_DATABASE=sqlite:" + database}, &out)
		return out.String(), err
	}
	must := func(out string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	must(say("a/p.db", "migrate"))
	must(say("a/p.db", "demo"))
	must(say("a/p.db", "backup", "copy"))
	if out := must(say("a/p.db", "verify", "copy")); !strings.Contains(out, "is whole") ||
		strings.Contains(out, "warning") {
		t.Error(out)
	}
	// Another folder has another master key.
	if out := must(say("b/p.db", "restore", "copy")); !strings.Contains(out, "warning: PORTICO_SECRET") {
		t.Error(out)
	}
	before, after := must(say("a/p.db", "company", "list")), must(say("b/p.db", "company", "list"))
	if before != after || !strings.Contains(after, "1001") {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if _, err := say("b/p.db", "restore", "copy"); !errors.Is(err, backup.ErrNotEmpty) {
		t.Errorf("a second restore: %v", err)
	}
	if out := must(say("b/p.db", "restore", "-replace", "copy")); !strings.Contains(out, ".before-") {
		t.Error(out)
	}
	for _, wrong := range [][]string{{"backup"}, {"verify"}, {"restore"}, {"restore", "a", "b"}} {
		err := run(t.Context(), wrong, []string{"PORTICO_DATABASE=sqlite:a/p.db"}, io.Discard)
		if exitStatus(err) != 2 {
			t.Errorf("%v: exit status %d, %v", wrong, exitStatus(err), err)
		}
	}
}

// An upgrade can begin with the new program. It copies the database of the old one as it is, and a database that is
// restored from the copy is migrated like any other.
func TestBackupCopiesADatabaseThatIsOlderThanTheProgram(t *testing.T) {
	const older = 20
	folder, secret := t.TempDir(), base64.StdEncoding.EncodeToString([]byte("canary-master-key-of-32-bytes-aa"))
	for engine, addresses := range map[string][2]string{
		"sqlite":   {"sqlite:" + filepath.Join(folder, "a", "p.db"), "sqlite:" + filepath.Join(folder, "b", "p.db")},
		"postgres": {storetest.PostgresURL(t), storetest.PostgresURL(t)},
	} {
		archive := filepath.Join(folder, engine+".backup")
		say := func(database string, args ...string) (string, error) {
			var out strings.Builder
			err := run(t.Context(), args, []string{"PORTICO_DATABASE=" + database, "PORTICO_SECRET=" + secret}, &out)
			return out.String(), err
		}
		must := func(out string, err error) string {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", engine, err)
			}
			return out
		}
		migrateTo(t, addresses[0], older)
		out := must(say(addresses[0], "backup", archive))
		if !strings.Contains(out, fmt.Sprintf("schema %d,", older)) ||
			!strings.Contains(out, "older than this program") {
			t.Error(out)
		}
		if _, err := say(addresses[0], "company", "list"); !errors.Is(err, schema.ErrOlder) {
			t.Errorf("%s: the backup has changed the database: %v", engine, err)
		}
		must(say(addresses[0], "verify", archive))
		must(say(addresses[1], "restore", archive))
		must(say(addresses[1], "migrate"))
		if out := must(say(addresses[1], "company", "list")); !strings.Contains(out, "1001") {
			t.Errorf("%s:\n%s", engine, out)
		}
		must(say(addresses[0], "migrate"))
		if out := must(say(addresses[0], "backup", archive+"2")); strings.Contains(out, "older") {
			t.Errorf("%s, migrated: %s", engine, out)
		}
	}
}

// migrateTo makes a database with the first versions of the schema and one company.
func migrateTo(t *testing.T, address string, version int) {
	t.Helper()
	files := fstest.MapFS{}
	names, err := filepath.Glob(testscope.File("store/schema/*.sql"))
	if err != nil || len(names) <= version {
		t.Fatalf("%d versions, %v", len(names), err)
	}
	for _, name := range names[:version] {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = &fstest.MapFile{Data: text}
	}
	db, err := store.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	former, err := db.WithMigrations(files)
	if err == nil {
		err = former.Migrate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	driver, name := "pgx", address
	if path, isFile := strings.CutPrefix(address, "sqlite:"); isFile {
		driver, name = "sqlite3", path
	}
	raw, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	if _, err := raw.ExecContext(t.Context(), "INSERT INTO companies (id, name, standing, created_at, updated_at) "+
		"VALUES (1001, 'A', 'formal', 5, 5)"); err != nil {
		t.Fatal(err)
	}
}
