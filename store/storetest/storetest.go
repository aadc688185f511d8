// Package storetest gives tests real databases: a SQLite file and a Postgres database each, migrated and
// empty. Postgres is the server of TEST_DATABASE_URL, else one started for the test process.
//
// By hand, every test of a package can run under harder conditions: TEST_ISOLATION names the isolation of all
// transactions on Postgres, like serializable, and with TEST_RUN_TWICE=1 every transaction runs twice (store.RunTwice).
package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"portico/store"
)

// Main runs a package's tests and stops the Postgres server they started: call it from TestMain.
func Main(m interface{ Run() int }) {
	code := m.Run()
	if server.stop != nil {
		server.stop()
	}
	os.Exit(code)
}

// Each runs the test once on SQLite and once on Postgres.
func Each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, Postgres(t)) })
}

// SQLite opens a migrated database in a file of its own.
func SQLite(t testing.TB) *store.DB {
	t.Helper()
	return open(t, "sqlite:"+filepath.Join(t.TempDir(), "portico.db"))
}

// Postgres opens a migrated, empty database of its own: one that an earlier test is done with, else a new
// one. Where no server can be started the test is skipped, but under CI it fails.
func Postgres(t testing.TB) *store.DB {
	t.Helper()
	address := reusable(t)
	if address == "" {
		address = PostgresURL(t)
	}
	db := open(t, address)
	t.Cleanup(func() {
		_ = db.Close()
		server.free <- address
	})
	return db
}

// reusable empties a database of an earlier test, because making one takes ten times as long; "" when there is
// none, or what that test left is not this program's schema.
func reusable(t testing.TB) string {
	t.Helper()
	select {
	case address := <-server.free:
		if err := empty(t.Context(), address); err != nil {
			return ""
		}
		return address
	default:
		return ""
	}
}

func empty(ctx context.Context, address string) error {
	left, err := store.Open(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = left.Close() }()
	if current, wanted, err := left.SchemaVersion(ctx); err != nil || current != wanted {
		return fmt.Errorf("schema %d, want %d: %w", current, wanted, err)
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var deletes string // one statement, after which the references between the tables are checked
	if err := db.QueryRowContext(ctx, `SELECT 'WITH ' || string_agg(format('%1$I AS (DELETE FROM %1$I)', table_name), ', ') || ' SELECT 1'
		FROM information_schema.tables WHERE table_schema = current_schema() AND table_name <> 'schema_versions'`).Scan(&deletes); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, deletes); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence(quote_ident(table_name), column_name), 1, false)
		FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'`)
	return err
}

// Isolated opens a migrated, empty Postgres database of its own whose transactions have a certain isolation, like
// "serializable", unless they ask for another.
func Isolated(t testing.TB, level string) *store.DB {
	t.Helper()
	return open(t, isolatedURL(t, level))
}

func isolatedURL(t testing.TB, level string) string {
	t.Helper()
	address := newDatabase(t)
	named, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	statement := fmt.Sprintf("ALTER DATABASE %q SET default_transaction_isolation = '%s'", named.Path[1:], level)
	if err := execute(t.Context(), address, statement); err != nil {
		t.Fatal(err)
	}
	return address
}

// PostgresURL makes an empty database and gives its address.
func PostgresURL(t testing.TB) string {
	t.Helper()
	if level := os.Getenv("TEST_ISOLATION"); level != "" {
		return isolatedURL(t, level)
	}
	return newDatabase(t)
}

func newDatabase(t testing.TB) string {
	t.Helper()
	server.once.Do(func() { server.address, server.stop, server.err = startPostgres() })
	if server.err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("Postgres is needed under CI: %v", server.err)
		}
		t.Skipf("no Postgres: %v", server.err)
	}
	name := fmt.Sprintf("t%d_%d", os.Getpid(), server.count.Add(1))
	admin, err := store.Open(t.Context(), server.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close() }()
	if err := admin.CreateDatabase(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(server.address)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	return address.String()
}

func open(t testing.TB, address string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("TEST_RUN_TWICE") != "" {
		db.RunTwice()
	}
	addresses.Store(db, address)
	t.Cleanup(func() {
		addresses.Delete(db)
		_ = db.Close()
	})
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// addresses holds the addresses of the open databases, by *store.DB.
var addresses sync.Map

// Exec runs a statement on a database of SQLite, Postgres or Each. Tests use it for changes that no operation of the
// program makes, for example a price that a company's own system changes.
func Exec(t testing.TB, db *store.DB, statement string) {
	t.Helper()
	address, _ := addresses.Load(db)
	if err := execute(t.Context(), fmt.Sprint(address), statement); err != nil {
		t.Fatal(err)
	}
}

// execute runs a statement on a connection of its own.
func execute(ctx context.Context, address, statement string) error {
	driver, source := "pgx", address
	if path, sqlite := strings.CutPrefix(source, "sqlite:"); sqlite {
		driver, source = "sqlite3", "file:"+path+"?_busy_timeout=5000&_foreign_keys=on"
	}
	other, err := sql.Open(driver, source)
	if err != nil {
		return err
	}
	_, err = other.ExecContext(ctx, statement)
	return errors.Join(err, other.Close())
}

var server = struct {
	once    sync.Once
	address string
	stop    func()
	err     error
	count   atomic.Int64
	free    chan string // databases that tests are done with
}{free: make(chan string, 1024)}

// startPostgres makes a cluster in a temporary directory, without durability, reachable by a unix socket
// only. initdb and postgres refuse to run as root, so root becomes the user postgres for them.
func startPostgres() (address string, stop func(), err error) {
	if address := os.Getenv("TEST_DATABASE_URL"); address != "" {
		return address, nil, nil
	}
	bin, err := postgresBin()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "portico-pg-")
	if err != nil {
		return "", nil, err
	}
	attributes := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		owner, err := user.Lookup("postgres")
		if err != nil {
			return "", nil, err
		}
		uid, _ := strconv.Atoi(owner.Uid)
		gid, _ := strconv.Atoi(owner.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			return "", nil, err
		}
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	command := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(bin, name), args...)
		c.SysProcAttr, c.Dir = attributes, "/"
		return c
	}
	data := filepath.Join(dir, "data")
	if out, err := command("initdb", "-D", data, "-A", "trust", "-N", "-U", "postgres", "-E", "UTF8", "--locale=C").CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	postgres := command("postgres", "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200")
	if err := postgres.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = postgres.Process.Signal(syscall.SIGINT)
		_ = postgres.Wait()
		_ = os.RemoveAll(dir)
	}
	address = "postgres://postgres@/postgres?host=" + url.QueryEscape(dir)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		db, err := store.Open(context.Background(), address)
		if err == nil {
			_ = db.Close()
			return address, stop, nil
		}
		if time.Now().After(deadline) {
			stop()
			return "", nil, fmt.Errorf("postgres did not answer: %w", err)
		}
	}
}

// postgresBin finds the newest server's folder: on the PATH, else where Debian keeps it.
func postgresBin() (string, error) {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	sort.Strings(folders)
	for i := len(folders) - 1; i >= 0; i-- {
		if _, err := os.Stat(filepath.Join(folders[i], "initdb")); err == nil {
			return folders[i], nil
		}
	}
	path, err := exec.LookPath("initdb")
	return filepath.Dir(path), err
}
