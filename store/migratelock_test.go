package store_test

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"portico/store"
	"portico/store/storetest"
)

const nextIndex = "-- compatible-from: {own}\nCREATE INDEX companies_by_name ON companies (name);\n"

// report collects the lines of a migration.
type report struct {
	mu    sync.Mutex
	lines []string
}

func (r *report) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *report) count(part string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Count(strings.Join(r.lines, "\n"), part)
}

// served opens a migrated Postgres database, and connections for another user of it.
func served(t *testing.T) (address string, db *store.DB, user *sql.DB) {
	t.Helper()
	address = storetest.PostgresURL(t)
	db, err := store.Open(t.Context(), address)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	must(t, db.Migrate(t.Context()))
	_, err = db.Companies.Save(t.Context(), company(1, "甲"))
	must(t, err)
	user, err = sql.Open("pgx", address)
	must(t, err)
	t.Cleanup(func() { _ = user.Close() })
	return address, db, user
}

// hold begins a transaction that has used the table companies, and returns the function that ends it.
func hold(t *testing.T, user *sql.DB, statement string) (release func()) {
	t.Helper()
	tx, err := user.BeginTx(t.Context(), nil)
	must(t, err)
	_, err = tx.ExecContext(t.Context(), statement)
	must(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	return func() { must(t, tx.Rollback()) }
}

// until waits for a condition of the database.
func until(t *testing.T, user *sql.DB, query string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var yes bool
		must(t, user.QueryRowContext(t.Context(), query).Scan(&yes))
		if yes {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("never: " + query)
		}
	}
}

// used fails the test unless companies can be read and written while a migration waits.
func used(t *testing.T, user *sql.DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for range 3 {
		_, err := user.ExecContext(ctx, `INSERT INTO companies (id, name, created_at, updated_at)
			SELECT MAX(id) + 1, 'x', 1, 1 FROM companies`)
		must(t, err)
		var n int
		must(t, user.QueryRowContext(ctx, "SELECT COUNT(*) FROM companies").Scan(&n))
		time.Sleep(500 * time.Millisecond)
	}
}

func TestAStatementThatWaitsForATableLetsOthersUseIt(t *testing.T) {
	t.Parallel()
	_, db, user := served(t)
	release := hold(t, user, "SELECT 1 FROM companies")
	next := newer(t, db, "-- compatible-from: {own}\n"+nextColumn)
	lines, done := new(report), make(chan error, 1)
	go func() { done <- next.MigrateWithProgress(t.Context(), lines.add) }()
	until(t, user, "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'companies'::regclass)")
	used(t, user)
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	release()
	must(t, <-done)
	must(t, next.CheckSchema(t.Context()))
	if n := lines.count(numbers("{next}.1  ALTER TABLE companies")); n != 2 {
		t.Errorf("%d lines about the statement: %q", n, lines.lines)
	}
	if n := lines.count("waiting: another transaction uses the same table"); n != 1 {
		t.Errorf("reported %d times that it waits: %q", n, lines.lines)
	}
}

const (
	halfBuilt = `SELECT EXISTS (SELECT 1 FROM pg_index
		WHERE indexrelid = to_regclass('companies_by_name') AND NOT indisvalid)`
	built = `SELECT EXISTS (SELECT 1 FROM pg_index
		WHERE indexrelid = to_regclass('companies_by_name') AND indisvalid)`
	builders = `FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONC%' AND state = 'active'`
)

// killedBuilding kills a process while it builds an index. Postgres continues the build until release is called.
func killedBuilding(t *testing.T, address string, user *sql.DB) (release func()) {
	t.Helper()
	release = hold(t, user, "UPDATE companies SET name = name")
	process := migrating(t, address, nextIndex, "")
	must(t, process.Start())
	until(t, user, halfBuilt)
	used(t, user)
	must(t, process.Process.Signal(syscall.SIGKILL))
	_ = process.Wait()
	return release
}

func TestAnIndexWhoseBuildWasStoppedIsBuiltAgain(t *testing.T) {
	t.Parallel()
	address, db, user := served(t)
	release := killedBuilding(t, address, user)
	_, err := user.ExecContext(t.Context(), "SELECT pg_terminate_backend(pid) "+builders)
	must(t, err)
	until(t, user, "SELECT NOT EXISTS (SELECT 1 "+builders+")")
	release()
	until(t, user, halfBuilt)
	lines := new(report)
	must(t, newer(t, db, nextIndex).MigrateWithProgress(t.Context(), lines.add))
	until(t, user, built)
	if lines.count("dropping companies_by_name") != 1 {
		t.Errorf("%q", lines.lines)
	}
}

func TestAMigrationWaitsForTheIndexBuildOfAKilledProcess(t *testing.T) {
	t.Parallel()
	address, db, user := served(t)
	release := killedBuilding(t, address, user)
	lines, done := new(report), make(chan error, 1)
	go func() { done <- newer(t, db, nextIndex).MigrateWithProgress(t.Context(), lines.add) }()
	for deadline := time.Now().Add(20 * time.Second); lines.count("waiting: another connection still builds") == 0; {
		if time.Now().After(deadline) {
			t.Fatalf("%q", lines.lines)
		}
		time.Sleep(20 * time.Millisecond)
	}
	used(t, user)
	release()
	must(t, <-done)
	until(t, user, built)
	if lines.count("dropping") != 0 {
		t.Errorf("%q", lines.lines)
	}
}

func TestAnIndexThatWasBuiltButNotNotedIsKept(t *testing.T) {
	address, db, user := served(t)
	if out, err := migrating(t, address, nextIndex, numbers("{next}.1 executed")).Output(); err == nil {
		t.Fatalf("not killed: %s", out)
	}
	var before, after uint32
	must(t, user.QueryRowContext(t.Context(), "SELECT 'companies_by_name'::regclass::oid").Scan(&before))
	must(t, newer(t, db, nextIndex).Migrate(t.Context()))
	must(t, user.QueryRowContext(t.Context(), "SELECT 'companies_by_name'::regclass::oid").Scan(&after))
	if before != after {
		t.Error("the index was built twice")
	}
}

func TestTwoProcessesThatLostTheirLockDoNoStatementTwice(t *testing.T) {
	address, db, user := served(t)
	next := "-- compatible-from: {own}\nALTER TABLE companies ADD COLUMN n INTEGER NOT NULL DEFAULT 0;\n" +
		"-- whole table: few rows.\nUPDATE companies SET n = n + 1;\nALTER TABLE companies ADD COLUMN m INTEGER;\n"
	other, err := store.Open(t.Context(), address)
	must(t, err)
	defer func() { _ = other.Close() }()
	first, second := newer(t, db, next), newer(t, other, next)
	// The first one reaches the second statement and loses the connection with the lock. Then the second one migrates.
	err = first.MigrateUntil(t.Context(), func(point string) error {
		if point != numbers("{next}.1 noted") {
			return nil
		}
		_, err := user.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND query LIKE 'SELECT id FROM schema_lock%'`)
		must(t, err)
		return second.Migrate(t.Context())
	}, func(string) {})
	must(t, err)
	var n int
	must(t, user.QueryRowContext(t.Context(), "SELECT MAX(n) FROM companies").Scan(&n))
	if n != 1 {
		t.Errorf("the statement ran %d times", n)
	}
}

func TestAMigrationWaitsForThatOfAnotherProcess(t *testing.T) {
	address, db, user := served(t)
	release := hold(t, user, "SELECT id FROM schema_lock FOR UPDATE")
	lines, done := new(report), make(chan error, 1)
	go func() { done <- newer(t, db, nextIndex).MigrateWithProgress(t.Context(), lines.add) }()
	for deadline := time.Now().Add(20 * time.Second); lines.count("another process is migrating") == 0; {
		if time.Now().After(deadline) {
			t.Fatal("it did not wait")
		}
		time.Sleep(20 * time.Millisecond)
	}
	must(t, knowingAll(t, address)) // a start with nothing to do does not wait
	release()
	must(t, <-done)
	until(t, user, built)
}

// knowingAll opens and migrates the database as a start of this program does.
func knowingAll(t *testing.T, address string) error {
	t.Helper()
	db, err := store.OpenMigrated(t.Context(), address)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return db.Migrate(t.Context())
}

func TestAPoolOfOneConnectionMigratesToo(t *testing.T) {
	_, db, _ := served(t)
	db.SetMaxConnections(1)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	must(t, newer(t, db, nextIndex).Migrate(ctx))
	if n := db.MaxConnections(); n != 1 {
		t.Errorf("the pool has %d connections afterwards", n)
	}
}

func TestMigratingWorksAtEveryDefaultIsolation(t *testing.T) {
	for _, isolation := range []string{"serializable", "repeatable read"} {
		address, err := url.Parse(storetest.PostgresURL(t))
		must(t, err)
		settings := address.Query()
		settings.Set("default_transaction_isolation", isolation)
		address.RawQuery = strings.ReplaceAll(settings.Encode(), "+", "%20") // Postgres reads a + as it stands
		db, err := store.Open(t.Context(), address.String())
		must(t, err)
		defer func() { _ = db.Close() }()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		must(t, newer(t, db, nextIndex).Migrate(ctx))
	}
}
