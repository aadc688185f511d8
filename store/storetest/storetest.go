// Package storetest gives tests real databases, migrated and empty: a SQLite file and a Postgres database for each
// test. The Postgres server is that of TEST_DATABASE_URL, where each test removes its databases, or one that the test
// process starts, where the next test uses them again. With TEST_DATABASE_KEEP=1 the databases of TEST_DATABASE_URL are
// used again and stay: the server belongs to the run of the tests and ends with it (.ci/in-memory).
//
// By hand, all tests of a package can run under harder conditions. TEST_ISOLATION sets the isolation level of all
// transactions on Postgres, like "serializable". With TEST_RUN_TWICE=1 every transaction runs twice (store.RunTwice).
package storetest

import (
	"context"
	"crypto/rand"
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

	"portico/e2e/testscope"
	"portico/store"
)

// Main runs a package's tests and then stops the Postgres server that they started. Call it from TestMain.
func Main(m interface{ Run() int }) {
	code := m.Run()
	if databases.stop != nil {
		databases.stop()
	}
	os.Exit(code)
}

// EachRule runs the test of a rule on SQLite, and in make test-all on Postgres, too. What differs between the two is
// tested with Each and EachCondition, which always run on both.
func EachRule(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	if testscope.All() {
		Each(t, test)
		return
	}
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t)) })
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
	file, err := migratedFile()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "portico.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, "sqlite:"+path)
}

// migratedFile returns the content of a migrated, empty SQLite database. The tests of a package migrate one and copy
// it: to migrate each anew takes longer than most tests.
var migratedFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "portico-sqlite-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "portico.db")
	db, err := store.Open(context.Background(), "sqlite:"+path)
	if err != nil {
		return nil, err
	}
	err = db.Migrate(context.Background())
	if err := errors.Join(err, db.Close()); err != nil { // Close moves the write-ahead log into the file
		return nil, err
	}
	return os.ReadFile(path)
})

// EachCondition runs the test once on SQLite, once on Postgres, and once on SQLite with every transaction run twice. In
// make test-all it runs it on Postgres at each isolation that an operator may have set for the database. It is for
// tests of what happens at the same time, and of operations with an effect beside their transaction, like a message.
func EachCondition(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	Each(t, test)
	if testscope.All() {
		for _, level := range []string{"repeatable read", "serializable"} {
			t.Run("postgres, "+level, func(t *testing.T) { test(t, Isolated(t, level)) })
		}
	}
	t.Run("sqlite, each transaction twice", func(t *testing.T) {
		db := SQLite(t)
		db.RunTwice()
		test(t, db)
	})
}

// Postgres opens a migrated, empty database that no other test uses now. When no server can be started, the test is
// skipped; under CI it fails.
func Postgres(t testing.TB) *store.DB {
	t.Helper()
	return Isolated(t, os.Getenv("TEST_ISOLATION"))
}

// PostgresAt opens the database at an address, as that of a Line in front of PostgresURL.
func PostgresAt(t testing.TB, address string) *store.DB {
	t.Helper()
	return open(t, address)
}

// Isolated does what Postgres does, with an isolation level for all transactions, like "serializable". "" is the
// server's default.
func Isolated(t testing.TB, level string) *store.DB {
	t.Helper()
	kept, _ := databases.free.LoadOrStore(level, make(chan string, 1024))
	free := kept.(chan string)
	address := reusable(t, free)
	if address == "" {
		from, err := template()
		if err != nil {
			missing(t, "Postgres", err)
		}
		address = newDatabase(t, level, from)
	}
	db := open(t, address)
	t.Cleanup(func() {
		_ = db.Close()
		if !dropped() {
			free <- address
		}
	})
	return db
}

// template returns the name of a migrated, empty database that all processes on the server copy: to migrate each anew
// takes several times as long. On a server whose databases are dropped there is none, and the name is "".
var template = sync.OnceValues(func() (name string, err error) {
	server, err := server()
	if err != nil || dropped() {
		return "", err
	}
	return "migrated", makeTemplate(context.Background(), server, "migrated")
})

// makeTemplate makes the migrated database unless another process has made it.
func makeTemplate(ctx context.Context, server, name string) (err error) {
	db, err := sql.Open("pgx", server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }() // releases the lock
	db.SetMaxOpenConns(1)                                 // that has the lock
	if _, err := db.ExecContext(ctx, "SELECT pg_advisory_lock(1)"); err != nil {
		return err
	}
	var made bool
	if err := db.QueryRowContext(
		ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name,
	).Scan(&made); err != nil || made {
		return err
	}
	unfinished := name + "_" + process
	if _, err := db.ExecContext(ctx, "CREATE DATABASE "+unfinished); err != nil {
		return err
	}
	if err := migrate(ctx, server, unfinished); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("ALTER DATABASE %s RENAME TO %s", unfinished, name))
	return err
}

// migrate migrates a database of a server.
func migrate(ctx context.Context, server, name string) error {
	address, err := withDatabase(server, name)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, address)
	if err != nil {
		return err
	}
	return errors.Join(db.Migrate(ctx), db.Close())
}

// reusable empties a database that an earlier test no longer uses and returns its URL. A copy of the template takes
// three times as long. It returns "" when there is none, or when the test has changed its schema.
func reusable(t testing.TB, free chan string) string {
	t.Helper()
	select {
	case address := <-free:
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
	if err := db.QueryRowContext(ctx, `SELECT 'WITH ' || string_agg(format('%1$I AS (DELETE
		FROM %1$I)', table_name), ', ') || ' SELECT 1'
		FROM information_schema.tables
		WHERE table_schema = current_schema() AND table_name NOT LIKE 'schema\_%'`).Scan(&deletes); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, deletes); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence(quote_ident(table_name), column_name), 1, false)
		FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'`)
	return err
}

// PostgresURL creates an empty database without a schema and returns its URL.
func PostgresURL(t testing.TB) string {
	t.Helper()
	return newDatabase(t, os.Getenv("TEST_ISOLATION"), "")
}

// newDatabase creates a database and returns its URL. It is a copy of the database from, or empty for "".
func newDatabase(t testing.TB, level, from string) string {
	t.Helper()
	server, err := server()
	if err != nil {
		missing(t, "Postgres", err)
	}
	name := fmt.Sprintf("t_%s_%d", process, databases.count.Add(1))
	create := "CREATE DATABASE " + name
	if from != "" {
		create += " TEMPLATE " + from
	}
	Execute(t, server, create)
	if dropped() {
		t.Cleanup(func() {
			if err := execute(context.Background(), server, "DROP DATABASE "+name); err != nil {
				t.Error(err)
			}
		})
	}
	address, err := withDatabase(server, name)
	if err != nil {
		t.Fatal(err)
	}
	if level != "" {
		Execute(t, address,
			fmt.Sprintf("ALTER DATABASE %s SET default_transaction_isolation = '%s'", name, level))
	}
	return address
}

// withDatabase returns the URL of another database of a server.
func withDatabase(server, name string) (string, error) {
	address, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	address.Path = "/" + name
	return address.String(), nil
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

// addresses has the URLs of the open databases, by *store.DB.
var addresses sync.Map

// Exec runs a statement on a database of SQLite, Postgres or Each. Tests use it for changes that no operation of the
// program makes, for example a price that a company's own system changes.
func Exec(t testing.TB, db *store.DB, statement string) {
	t.Helper()
	address, _ := addresses.Load(db)
	Execute(t, fmt.Sprint(address), statement)
}

// Execute runs a statement on the database at a URL.
func Execute(t testing.TB, address, statement string) {
	t.Helper()
	if err := execute(t.Context(), address, statement); err != nil {
		t.Fatal(err)
	}
}

// execute runs a statement on a connection of its own.
func execute(ctx context.Context, address, statement string) error {
	driver, source := "pgx", address
	if path, sqlite := strings.CutPrefix(source, "sqlite:"); sqlite {
		driver, source = "sqlite3", sourceOf(path)
	}
	other, err := sql.Open(driver, source)
	if err != nil {
		return err
	}
	_, err = other.ExecContext(ctx, statement)
	return errors.Join(err, other.Close())
}

// sourceOf returns what the driver of SQLite opens the file at a path by. A test's folder may have a # in its name.
func sourceOf(path string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?_busy_timeout=5000&_foreign_keys=on"
}

// process is in the names of this process's databases. The number of a process may be given again within a run.
var process = strings.ToLower(rand.Text())

// databases are those that tests have made on the server.
var databases struct {
	count atomic.Int64
	free  sync.Map // that tests are done with: isolation → chan string
	stop  func()   // the server that this process has started
}

// dropped reports whether the tests use a server that was there before them and stays, so that they must drop their
// databases.
func dropped() bool {
	return os.Getenv("TEST_DATABASE_URL") != "" && os.Getenv("TEST_DATABASE_KEEP") == ""
}

// server returns the URL of the server on which all tests of a process have their databases.
var server = sync.OnceValues(func() (address string, err error) {
	if address := os.Getenv("TEST_DATABASE_URL"); address != "" {
		return address, nil
	}
	address, databases.stop, err = startCluster()
	return address, err
})

// Server starts a Postgres server for one test and returns the address of its empty database. The test may break it.
func Server(t testing.TB) (address string) {
	t.Helper()
	address, stop, err := startCluster()
	if err != nil {
		missing(t, "Postgres", err)
	}
	t.Cleanup(stop)
	return address
}

// missing skips a test that needs a server which cannot be started. Under CI the test fails.
func missing(t testing.TB, server string, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is needed under CI: %v", server, err)
	}
	t.Skipf("no %s: %v", server, err)
}

// startCluster starts a Postgres server on a new cluster in a temporary directory. It does not sync its files, and
// listens on a unix socket only.
func startCluster() (address string, stop func(), err error) {
	return startOn(func(s newServer) error {
		return s.run("initdb", "-D", s.data, "-A", "trust", "-N", "-U", "postgres", "-E", "UTF8", "--locale=C")
	})
}

// newServer is a Postgres server that is being set up.
type newServer struct {
	bin, folder, data string
	attributes        *syscall.SysProcAttr
}

// run runs a program of Postgres.
func (s newServer) run(name string, args ...string) error {
	c := exec.Command(filepath.Join(s.bin, name), args...)
	c.SysProcAttr, c.Dir = s.attributes, "/"
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// keep is a shell script that runs a server and, once its standard input ends, stops the server and removes the folder
// that is its name. The input ends with the program that holds it open, so nothing is left of a test that was killed.
const keep = `"$@" & cat >/dev/null; kill -INT $!; wait $!; rm -rf "$0"`

// startOn starts a server in a temporary directory whose data fill makes.
func startOn(fill func(newServer) error) (address string, stop func(), err error) {
	bin, err := postgresBin()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "portico-pg-")
	if err != nil {
		return "", nil, err
	}
	attributes, err := asPostgres(dir)
	if err != nil {
		return "", nil, err
	}
	s := newServer{bin, dir, filepath.Join(dir, "data"), attributes}
	if err := fill(s); err != nil {
		return "", nil, err
	}
	settings := []string{
		"-D", s.data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200",
		"-c", "wal_level=logical",
	}
	if counts, _ := filepath.Glob(filepath.Join(bin, "../lib/pg_stat_statements.so")); counts != nil {
		settings = append(settings, "-c", "shared_preload_libraries=pg_stat_statements")
	}
	keeper := exec.Command("sh", append([]string{"-c", keep, dir, filepath.Join(bin, "postgres")}, settings...)...)
	keeper.SysProcAttr, keeper.Dir = attributes, "/"
	tests, err := keeper.StdinPipe()
	if err == nil {
		err = keeper.Start()
	}
	if err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = tests.Close()
		_ = keeper.Wait()
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

// asPostgres makes a program run as the user postgres, who gets the directory, when the tests run as root: initdb,
// postgres and pgbouncer refuse to run as root.
func asPostgres(dir string) (*syscall.SysProcAttr, error) {
	attributes := &syscall.SysProcAttr{}
	if os.Geteuid() != 0 {
		return attributes, nil
	}
	owner, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(owner.Uid)
	gid, _ := strconv.Atoi(owner.Gid)
	attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attributes, os.Chown(dir, uid, gid)
}

// postgresBin returns the folder of the Postgres programs: on the PATH, else the newest one where Debian installs them.
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
