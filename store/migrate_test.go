package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"

	"portico/e2e/testscope"
	"portico/store"
	"portico/store/schema"
	"portico/store/storetest"
)

// The environment of a process that this test starts to migrate a database, and where it is to be killed.
const (
	migrateIn = "TEST_MIGRATE_IN"
	killAt    = "TEST_KILL_AT"
)

// migrateInProcess migrates a database instead of running tests, in a process that migrating has started.
func migrateInProcess() error {
	ctx := context.Background()
	db, err := store.Open(ctx, os.Getenv(migrateIn))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	files, err := schemaWith(os.Getenv("TEST_MIGRATION"))
	if err == nil {
		db, err = db.WithMigrations(files)
	}
	if err != nil {
		return err
	}
	return db.MigrateUntil(ctx, func(point string) error {
		if point == os.Getenv(killAt) {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	}, func(line string) { fmt.Println(line) })
}

// migrating starts a process that migrates a database. next is the SQL of one more migration, "" for none.
func migrating(t *testing.T, address, next, point string) *exec.Cmd {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), migrateIn+"="+address, killAt+"="+point, "TEST_MIGRATION="+next)
	process.Stderr = os.Stderr
	return process
}

// own is how many migrations this program knows.
var own = func() int {
	names, _ := filepath.Glob("schema/*.sql")
	return len(names)
}()

// numbers writes the versions of made-up migrations, which follow this program's: {own}, {next}, {second}.
func numbers(text string) string {
	return strings.NewReplacer("{own}", strconv.Itoa(own), "{next}", strconv.Itoa(own+1),
		"{second}", strconv.Itoa(own+2)).Replace(text)
}

// schemaWith is the folder of migrations with some more; "" is none.
func schemaWith(next ...string) (fstest.MapFS, error) {
	files := fstest.MapFS{}
	names, err := fs.Glob(os.DirFS("schema"), "*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("schema", name))
		if err != nil {
			return nil, err
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	for _, text := range next {
		if text != "" {
			files[fmt.Sprintf("%04d_next.sql", len(files)+1)] = &fstest.MapFile{Data: []byte(numbers(text))}
		}
	}
	return files, nil
}

// first is the folder of the first migrations.
func first(t *testing.T, versions int) fstest.MapFS {
	t.Helper()
	files, err := schemaWith()
	must(t, err)
	for name := range files {
		if name > fmt.Sprintf("%04d_~", versions) {
			delete(files, name)
		}
	}
	if len(files) != versions {
		t.Fatalf("%d files for %d versions", len(files), versions)
	}
	return files
}

// newer is the same database for a program that knows more migrations.
func newer(t *testing.T, db *store.DB, next ...string) *store.DB {
	t.Helper()
	files, err := schemaWith(next...)
	must(t, err)
	other, err := db.WithMigrations(files)
	must(t, err)
	return other
}

// empty runs a test on a database without a schema, on SQLite and on Postgres.
func empty(t *testing.T, test func(t *testing.T, address string, db *store.DB)) {
	t.Helper()
	onEmpty(t, true, test)
}

// emptyEach is empty for tests that migrate many times: on Postgres, which takes ten times as long, they run in make
// test-all only.
func emptyEach(t *testing.T, test func(t *testing.T, address string, db *store.DB)) {
	t.Helper()
	onEmpty(t, testscope.All(), test)
}

func onEmpty(t *testing.T, postgres bool, test func(t *testing.T, address string, db *store.DB)) {
	t.Helper()
	run := func(address string) func(t *testing.T) {
		return func(t *testing.T) {
			if address == "" {
				address = storetest.PostgresURL(t)
			}
			db, err := store.Open(t.Context(), address)
			must(t, err)
			t.Cleanup(func() { _ = db.Close() })
			test(t, address, db)
		}
	}
	t.Run("sqlite", run("sqlite:"+filepath.Join(t.TempDir(), "p.db")))
	if postgres {
		t.Run("postgres", run(""))
	}
}

func described(t *testing.T, db *store.DB) string {
	t.Helper()
	text, err := db.Describe(t.Context())
	must(t, err)
	return text
}

func TestAMigrationStoppedAtAnyStatementIsCompletedByTheNextTry(t *testing.T) {
	emptyEach(t, func(t *testing.T, _ string, db *store.DB) {
		ctx := t.Context()
		stopped := errors.New("stopped")
		known, err := schema.Own()
		must(t, err)
		var points []string
		for i, migration := range known {
			for j := range migration.Statements(db.IsPostgres()) {
				points = append(points, fmt.Sprintf("%d.%d", i+1, j+1))
			}
		}
		if len(points) < 100 {
			t.Fatalf("only %d statements", len(points))
		}
		for _, statement := range points {
			for _, point := range []string{statement + " executed", statement + " noted"} {
				if !db.IsPostgres() && strings.HasSuffix(point, "noted") {
					continue // SQLite notes nothing between the statements of a version
				}
				reached := false
				err := db.MigrateUntil(ctx, func(at string) error {
					if reached = at == point; reached {
						return stopped
					}
					return nil
				}, func(string) {})
				if !errors.Is(err, stopped) || !reached {
					t.Fatalf("not stopped at %s: %v", point, err)
				}
				current, wanted, err := db.SchemaVersion(ctx)
				must(t, err)
				if version := fmt.Sprintf("%d.", current+1); current >= wanted || !strings.HasPrefix(point, version) {
					t.Fatalf("stopped at %s, the database is at version %d", point, current)
				}
			}
		}
		must(t, db.Migrate(ctx))
		complete(t, db)
	})
}

// complete fails the test unless the schema is the one that an undisturbed migration makes.
func complete(t *testing.T, db *store.DB) {
	t.Helper()
	must(t, db.CheckSchema(t.Context()))
	fresh := storetest.SQLite
	if db.IsPostgres() {
		fresh = storetest.Postgres
	}
	if got, want := described(t, db), described(t, fresh(t)); got != want {
		t.Errorf("the schema is\n%s\nwant\n%s", got, want)
	}
}

func TestAKilledMigrationIsCompletedByTheNextStart(t *testing.T) {
	emptyEach(t, func(t *testing.T, address string, db *store.DB) {
		for _, statement := range []string{"1.1", "1.12", "5.5", "12.20", "13.1"} {
			point := statement + " executed"
			out, err := migrating(t, address, "", point).Output()
			if err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("%s: %v %s", point, err, out)
			}
			if err := db.CheckSchema(t.Context()); err == nil {
				t.Fatalf("%s: the schema is complete", point)
			}
		}
		if out, err := migrating(t, address, "", "").Output(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		complete(t, db)
	})
}

func TestFiveProcessesOnAnEmptyDatabaseMigrateItOnce(t *testing.T) {
	t.Parallel()
	empty(t, func(t *testing.T, address string, db *store.DB) {
		var all sync.WaitGroup
		lines := make([]string, 5)
		for i := range lines {
			all.Go(func() {
				out, err := migrating(t, address, "", "").Output()
				if err != nil {
					t.Errorf("%v %s", err, out)
				}
				lines[i] = string(out)
			})
		}
		all.Wait()
		complete(t, db)
		last := fmt.Sprintf(`(?m)^version %d, .*s$`, own)
		if db.IsPostgres() {
			last = fmt.Sprintf(`(?m)^%d\.1  .*  [0-9.µm]+s$`, own)
		}
		if n := len(regexp.MustCompile(last).FindAllString(strings.Join(lines, ""), -1)); n != 1 {
			t.Errorf("the last migration ran %d times:\n%s", n, strings.Join(lines, "--\n"))
		}
	})
}

// earlier migrates the database as programs did before schema_steps: all in one transaction, with a table of versions
// that has two columns.
func earlier(t *testing.T, db *store.DB, version int) {
	t.Helper()
	statements := "CREATE TABLE schema_versions (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT;"
	files := first(t, version)
	names, err := fs.Glob(files, "*.sql")
	must(t, err)
	for i, name := range names {
		statements += string(files[name].Data)
		statements += fmt.Sprintf("INSERT INTO schema_versions (version, applied_at) VALUES (%d, 1);", i+1)
	}
	must(t, db.ExecAll(t.Context(), statements))
}

func TestEveryEarlierVersionIsMigratedWithItsRows(t *testing.T) {
	for version := 1; version <= 12; version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			emptyEach(t, func(t *testing.T, _ string, db *store.DB) {
				ctx := t.Context()
				earlier(t, db, version)
				must(t, db.ExecAll(ctx, `
					INSERT INTO companies (id, name, standing, created_at, updated_at) VALUES (1, 'A', 'formal', 5, 5);
					INSERT INTO companies (id, name, standing, created_at, updated_at) VALUES (2, 'B', 'trial', 5, 5);
					INSERT INTO company_hosts (host, company_id, verified_at) VALUES ('a.example', 1, 7);
					INSERT INTO phones (id, phone, created_at) VALUES (1, '13900000001', 5);
					INSERT INTO accounts (id, company_id, side, type, login, login_key, phone_id, created_at)
						VALUES (1, 1, 'mgr', 1, 'Boss', 'boss', 1, 6);
					INSERT INTO audit_events (at, kind, company_id) VALUES (5, 'login', 1);`))
				if version == 4 {
					must(t, db.ExecAll(ctx, "UPDATE accounts SET invited = TRUE;"))
				}
				if err := db.CheckSchema(ctx); !errors.Is(err, schema.ErrOlder) {
					t.Fatal(err)
				}
				must(t, db.Migrate(ctx))
				complete(t, db)
				filled := version < 12 // by statements of the twelfth migration
				for query, want := range map[string]int{
					"accounts WHERE login = 'Boss' AND company_id = 1 AND phone_id = 1": 1,
					"audit_events WHERE kind = 'login' AND company_id = 1":              1,
					"phones":                          1,
					"accounts WHERE invited_at = 6":   count(version == 4),
					"company_hosts WHERE seen_at = 7": count(filled),
					"companies WHERE confirmed_name = name AND standing = 'formal'": count(filled),
					"companies WHERE confirmed_name = '' AND standing = 'trial'":    1,
				} {
					if got, err := db.Number(ctx, "SELECT COUNT(*) FROM "+query); err != nil || got != want {
						t.Errorf("%s: %d, want %d, %v", query, got, want, err)
					}
				}
			})
		})
	}
}

func count(one bool) int {
	if one {
		return 1
	}
	return 0
}
