package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"portico/store"
	"portico/store/pool"
	"portico/store/storetest"
)

// overLine opens a store on a Postgres database that is reached over a Line, and returns both.
func overLine(t *testing.T) (*store.DB, *storetest.Line) {
	t.Helper()
	line, address := storetest.NewLine(t, storetest.PostgresURL(t))
	db, err := store.Open(t.Context(), address)
	if err == nil {
		t.Cleanup(func() { _ = db.Close() })
		err = db.Migrate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return db, line
}

// raise counts one more failure, and says how many there are.
func raise(ctx context.Context, db *store.DB, key string) (int, error) {
	a, err := db.Attempts.Raise(ctx, key, now, now-1000)
	return a.Failures, err
}

// raiseBoth counts both keys in one transaction. between runs after the first one.
func raiseBoth(ctx context.Context, db *store.DB, first, second string, between func()) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		if _, err := raise(ctx, tx, first); err != nil {
			return err
		}
		between()
		_, err := raise(ctx, tx, second)
		return err
	})
}

// counted fails the test unless a key was counted that often.
func counted(t *testing.T, db *store.DB, key string, want int) {
	t.Helper()
	if a, err := db.Attempts.Of(t.Context(), key); a.Failures != want || err != nil {
		t.Errorf("%s was counted %d times, want %d: %v", key, a.Failures, want, err)
	}
}

func TestTransactionsThatCollideAllSucceed(t *testing.T) {
	storetest.EachCondition(t, func(t *testing.T, db *store.DB) {
		var all sync.WaitGroup
		for i := range 24 {
			all.Go(func() {
				ctx := store.InRequest(t.Context(), store.Networks{})
				if err := raiseBoth(ctx, db, "a", "b", func() {}); err != nil {
					t.Errorf("transaction %d: %v", i, err)
				}
			})
		}
		all.Wait()
		counted(t, db, "a", 24)
		counted(t, db, "b", 24)
	})
}

func TestTransactionsInADeadlockBothSucceed(t *testing.T) {
	db := storetest.Postgres(t)
	var all, firsts sync.WaitGroup
	firsts.Add(2)
	for _, keys := range [][2]string{{"a", "b"}, {"b", "a"}} {
		runs := 0
		all.Go(func() {
			ctx := store.InRequest(t.Context(), store.Networks{})
			if err := raiseBoth(ctx, db, keys[0], keys[1], func() {
				if runs++; runs == 1 {
					firsts.Done()
					firsts.Wait()
				}
			}); err != nil {
				t.Errorf("%s, then %s: %v", keys[0], keys[1], err)
			}
		})
	}
	all.Wait()
	counted(t, db, "a", 2)
	counted(t, db, "b", 2)
}

func TestStatementsThatCollideAllSucceed(t *testing.T) {
	storetest.EachCondition(t, func(t *testing.T, db *store.DB) {
		var all sync.WaitGroup
		for range 24 {
			all.Go(func() {
				if _, err := raise(store.InRequest(t.Context(), store.Networks{}), db, "a"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		counted(t, db, "a", 24)
	})
}

func TestATransactionWhoseConnectionBreaksBeforeItsCommitRunsAgain(t *testing.T) {
	db, line := overLine(t)
	runs := 0
	err := db.Tx(store.InRequest(t.Context(), store.Networks{}), func(tx *store.DB) error {
		runs++
		if runs == 1 {
			line.CutAnswer(0)
		}
		_, err := raise(t.Context(), tx, "a")
		return err
	})
	if runs != 2 || err != nil {
		t.Errorf("%d runs: %v", runs, err)
	}
	counted(t, db, "a", 1)
}

func TestATransactionWhoseCommitGotNoAnswerIsNotRepeated(t *testing.T) {
	db, line := overLine(t)
	runs := 0
	err := db.Tx(store.InRequest(t.Context(), store.Networks{}), func(tx *store.DB) error {
		runs++
		_, err := raise(t.Context(), tx, "a")
		line.CutAnswer(0)
		return err
	})
	if runs != 1 || !store.Unavailable(err) {
		t.Errorf("%d runs: %v", runs, err)
	}
	counted(t, db, "a", 1)
}

func TestOfStatementsCutInTheMiddleOnlyReadsRunAgain(t *testing.T) {
	db, line := overLine(t)
	ctx := store.InRequest(t.Context(), store.Networks{})
	if _, err := raise(ctx, db, "a"); err != nil {
		t.Fatal(err)
	}
	line.CutAnswer(0)
	if a, err := db.Attempts.Of(ctx, "a"); a.Failures != 1 || err != nil {
		t.Errorf("a read: %d, %v", a.Failures, err)
	}
	if _, err := raise(ctx, db, "a"); err != nil { // the new connection knows the statement from now on
		t.Fatal(err)
	}
	line.CutAnswer(0)
	if _, err := raise(ctx, db, "a"); !store.Unavailable(err) {
		t.Errorf("a write: %v", err)
	}
	counted(t, db, "a", 3)
}

func TestConnectionsThatTheServerEndedAreReplaced(t *testing.T) {
	db := storetest.Postgres(t)
	for _, ask := range []func() error{
		func() error { _, err := raise(t.Context(), db, "a"); return err },
		func() error { _, err := db.Attempts.Of(t.Context(), "a"); return err },
		func() error {
			return db.Tx(t.Context(), func(tx *store.DB) error { _, err := raise(t.Context(), tx, "a"); return err })
		},
	} {
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		storetest.Exec(t, db, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		if err := ask(); err != nil {
			t.Errorf("after the connections ended: %v", err)
		}
	}
}

func TestAfterCommitRunsOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		db.RunTwice()
		runs, after := 0, 0
		err := db.Tx(t.Context(), func(tx *store.DB) error {
			runs++
			tx.AfterCommit(func() { after++ })
			_, err := raise(t.Context(), tx, "a")
			return err
		})
		if runs != 2 || after != 1 || err != nil {
			t.Errorf("%d runs, %d times after the commit: %v", runs, after, err)
		}
		refused := errors.New("refused")
		err = db.Tx(t.Context(), func(tx *store.DB) error {
			tx.AfterCommit(func() { after++ })
			return refused
		})
		if after != 1 || !errors.Is(err, refused) {
			t.Errorf("a refused transaction: %d times after the commit: %v", after, err)
		}
		if db.AfterCommit(func() { after++ }); after != 2 {
			t.Error("without a transaction nothing was done")
		}
		counted(t, db, "a", 1)
	})
}

func TestTemporaryErrorsOfPostgresMeanUnavailable(t *testing.T) {
	for code, away := range map[string]bool{
		"08006": true, "53300": true, "57014": true, "57P01": true, "57P03": true, // the connection, room, the operator
		"25006": true, "25P03": true, // read-only, idle for too long
		"40001": true, "40003": true, "40P01": true, "55P03": true, // other transactions
		"22001": false, "23505": false, "25P02": false, "42703": false, "42P01": false,
	} {
		if store.Unavailable(fmt.Errorf("ask: %w", &pgconn.PgError{Code: code})) != away {
			t.Errorf("%s: away is not %v", code, away)
		}
	}
	// io.ErrUnexpectedEOF may also come from a request whose body ends early.
	if store.Unavailable(nil) || store.Unavailable(io.ErrUnexpectedEOF) {
		t.Error("no error, or one of something else, means away")
	}
}

// backends are the processes that serve the connections to a database.
func backends(t *testing.T, admin *sql.DB) (list string) {
	t.Helper()
	err := admin.QueryRowContext(t.Context(), `SELECT COALESCE(string_agg(pid::text, ' ' ORDER BY pid), '')
		FROM pg_stat_activity WHERE datname = current_database()
			AND backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&list)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// pooled opens a migrated database with a pool of its own, and a connection beside it.
func pooled(t *testing.T, pool pool.Limits) (*store.DB, *sql.DB) {
	t.Helper()
	address := storetest.PostgresURL(t)
	migrated, err := store.Open(t.Context(), address)
	if err == nil {
		err = errors.Join(migrated.Migrate(t.Context()), migrated.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.OpenPool(t.Context(), address, pool)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	admin, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	admin.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = admin.Close() })
	return db, admin
}

func TestAStatementWhoseTimeIsOverEndsOnTheServerAndItsConnectionStays(t *testing.T) {
	t.Parallel()
	db, admin := pooled(t, pool.Default)
	if _, err := db.Attempts.Of(t.Context(), "a"); err != nil { // opens the connection
		t.Fatal(err)
	}
	before := backends(t, admin)
	for end := time.Now().Add(10 * time.Second); strings.Contains(before, " ") && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond) // those that migrated are still ending
		before = backends(t, admin)
	}
	if before == "" || strings.Contains(before, " ") {
		t.Fatalf("connections: %q, want one", before)
	}
	lock, err := admin.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = lock.ExecContext(t.Context(), "LOCK TABLE attempts")
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Attempts.Of(store.InRequest(t.Context(), store.Networks{}), "a"); !errors.Is(err, store.ErrBusy) {
		t.Errorf("a read of a locked table: %v", err)
	}
	var left int
	err = lock.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
		WHERE NOT granted AND datname = current_database()`).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d statements wait on the server: %v", left, err)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Attempts.Of(store.InRequest(t.Context(), store.Networks{}), "a"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if after := backends(t, admin); after != before {
		t.Errorf("connections: %q, before %q", after, before)
	}
}

func TestAStatementWhoseCallerHasGoneSaysSo(t *testing.T) {
	t.Parallel()
	db, admin := pooled(t, pool.Default)
	lock, err := admin.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = lock.ExecContext(t.Context(), "LOCK TABLE attempts")
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func(ctx context.Context) error{
		"a read":  func(ctx context.Context) error { _, err := db.Attempts.Of(ctx, "a"); return err },
		"a write": func(ctx context.Context) error { _, err := raise(ctx, db, "a"); return err },
		"a transaction": func(ctx context.Context) error {
			return db.Tx(ctx, func(tx *store.DB) error { _, err := raise(ctx, tx, "a"); return err })
		},
	} {
		for who, ctx := range map[string]context.Context{
			"a request": store.InRequest(t.Context(), store.Networks{}), "a command": t.Context(),
		} {
			ctx, hangUp := context.WithCancel(ctx)
			time.AfterFunc(200*time.Millisecond, hangUp)
			if err := ask(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrBusy) {
				t.Errorf("%s of %s: %v", name, who, err)
			}
		}
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
}

func TestThePoolHasItsSizeAndReplacesOldConnections(t *testing.T) {
	t.Parallel()
	db, admin := pooled(t, pool.Limits{Max: 3, Idle: 2, Age: 200 * time.Millisecond})
	if n := db.MaxConnections(); n != 3 {
		t.Errorf("at most %d connections, want 3", n)
	}
	before := backends(t, admin)
	time.Sleep(300 * time.Millisecond)
	if _, err := raise(t.Context(), db, "a"); err != nil {
		t.Fatal(err)
	}
	if after := backends(t, admin); after == before {
		t.Errorf("connection %s is older than its age", before)
	}
}

func TestAReadOnlyPrimaryIsLeftForTheNewOne(t *testing.T) {
	t.Parallel()
	former, next := storetest.Server(t), storetest.Server(t)
	for _, address := range []string{former, next} {
		db, err := store.Open(t.Context(), address)
		if err == nil {
			err = errors.Join(db.Migrate(t.Context()), db.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	folder := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return u.Query().Get("host")
	}
	both := fmt.Sprintf("postgres://postgres@/postgres?host=%s,%s&target_session_attrs=read-write",
		folder(former), folder(next))
	two, err := store.Open(t.Context(), both)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = two.Close() }()
	one, err := store.Open(t.Context(), former)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = one.Close() }()
	ctx := func() context.Context { return store.InRequest(t.Context(), store.Networks{}) }
	for range 3 {
		if _, err := raise(ctx(), two, "a"); err != nil {
			t.Fatal(err)
		}
	}
	storetest.Execute(t, former, "ALTER SYSTEM SET default_transaction_read_only = on")
	storetest.Execute(t, former, "SELECT pg_reload_conf()")
	for deadline := time.Now().Add(5 * time.Second); one.Writable(t.Context()) == nil; {
		if time.Now().After(deadline) {
			t.Fatal("the former primary stays writable")
		}
	}
	if n, err := raise(ctx(), two, "a"); n != 1 || err != nil {
		t.Errorf("a write with two hosts: counted %d times: %v", n, err)
	}
	if err := two.Tx(ctx(), func(tx *store.DB) error { _, err := raise(ctx(), tx, "a"); return err }); err != nil {
		t.Errorf("a transaction with two hosts: %v", err)
	}
	if err := two.ForProbe().Writable(t.Context()); err != nil {
		t.Errorf("the probe with two hosts: %v", err)
	}
	for name, ask := range map[string]func() error{
		"a write":       func() error { _, err := raise(ctx(), one, "a"); return err },
		"a transaction": func() error { return one.Tx(ctx(), func(tx *store.DB) error { return tx.Writable(ctx()) }) },
		"the probe":     func() error { return one.ForProbe().Writable(t.Context()) },
	} {
		if err := ask(); !store.Unavailable(err) || !strings.Contains(fmt.Sprint(err), "read-only") {
			t.Errorf("%s with one host: %v", name, err)
		}
	}
	if a, err := one.Attempts.Of(ctx(), "a"); a.Failures != 3 || err != nil {
		t.Errorf("a read with one host: %d, %v", a.Failures, err)
	}
	storetest.Execute(t, former, "ALTER SYSTEM RESET default_transaction_read_only")
	storetest.Execute(t, former, "SELECT pg_reload_conf()")
	for deadline := time.Now().Add(5 * time.Second); one.Writable(t.Context()) != nil; {
		if time.Now().After(deadline) {
			t.Fatal("the former primary stays read-only")
		}
	}
}
