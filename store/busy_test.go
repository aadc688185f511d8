package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"portico/store"
	"portico/store/storetest"
)

// occupy starts that many operations of a network, which wait for SQLite's only writer. It returns when all of them
// wait.
func occupy(t *testing.T, db *store.DB, from store.Networks, many int) {
	t.Helper()
	for range many {
		go func() { _, _ = db.Leases.Take(store.InRequest(t.Context(), from), "busy", "a", now, now) }()
	}
	time.Sleep(200 * time.Millisecond)
}

func TestOneNetworkCannotUseUpTheDatabase(t *testing.T) {
	address := func(n int) store.Networks {
		return store.Networks{fmt.Sprint("198.51.100.", n), "198.51.100.0/24", "198.51.0.0/16"}
	}
	neighbour := store.Networks{"198.51.7.1", "198.51.7.0/24", "198.51.0.0/16"}
	db := storetest.SQLite(t)
	held, release := make(chan struct{}), make(chan struct{})
	go func() {
		_ = db.Tx(context.Background(), func(*store.DB) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	defer close(release)
	asks := func(who string, from store.Networks, want error) {
		t.Helper()
		if _, err := db.Companies.ByID(store.InRequest(t.Context(), from), 1); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", who, err, want)
		}
	}
	occupy(t, db, address(1), 64)
	asks("the same address", address(1), store.ErrBusy)
	asks("another address of its network", address(2), store.ErrNotFound)
	occupy(t, db, address(2), 300)
	asks("a third address of its network", address(3), store.ErrBusy)
	asks("a network beside it", neighbour, store.ErrNotFound)
	asks("somebody elsewhere", store.Networks{"203.0.113.1", "203.0.113.0/24", "203.0.0.0/16"}, store.ErrNotFound)
}

func TestCleaningUpAfterASlowRequestIsNotRefused(t *testing.T) {
	db := storetest.SQLite(t)
	ctx := store.InRequest(t.Context(), store.Networks{})
	held, release := make(chan struct{}), make(chan struct{})
	go func() {
		_ = db.Tx(context.Background(), func(*store.DB) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	if _, err := db.Leases.Take(ctx, "slow", "a", now, now+1); !errors.Is(err, store.ErrBusy) {
		t.Fatalf("a write while another one lasts: %v", err)
	}
	close(release)
	if err := db.Leases.End(ctx, "slow", "a"); !errors.Is(err, store.ErrBusy) {
		t.Errorf("the request goes on: %v", err)
	}
	if err := db.Leases.End(store.AfterRequest(ctx), "slow", "a"); err != nil {
		t.Errorf("tidying up: %v", err)
	}
}

// lockByOther begins a write of another process and returns how to end it.
func lockByOther(t *testing.T, path string) (end func()) {
	t.Helper()
	other, err := sql.Open("sqlite3", path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	write, err := other.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() { _ = write.Rollback() }
}

func migratedFile(t *testing.T) (*store.DB, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.db")
	db, err := store.Open(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db, path
}

// A request that gets the connection late must not wait longer for the other process than its time lasts.
func TestRequestsAreRefusedInTimeWhileAnotherProcessWrites(t *testing.T) {
	db, path := migratedFile(t)
	s := watch(db)
	defer lockByOther(t, path)()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			began := time.Now()
			err := db.Tx(store.InRequest(t.Context(), store.Networks{}), func(*store.DB) error { return nil })
			if took := time.Since(began); !errors.Is(err, store.ErrBusy) || took > 2*store.OperationTime {
				t.Errorf("%v after %s", err, took)
			}
		})
	}
	group.Wait()
	if failed := s.of("failed locked") + s.of("failed timeout"); failed != 4 {
		t.Errorf("4 requests failed, and %d were counted", failed)
	}
}

func TestAShortWriteOfAnotherProcessIsWaitedFor(t *testing.T) {
	db, path := migratedFile(t)
	s := watch(db)
	for _, write := range []func(ctx context.Context) error{
		func(ctx context.Context) error { return db.Tx(ctx, func(*store.DB) error { return nil }) },
		func(ctx context.Context) error { return db.Leases.End(ctx, "nothing", "a") },
	} {
		end := lockByOther(t, path)
		time.AfterFunc(400*time.Millisecond, end) // longer than SQLite waits by itself
		if err := write(store.InRequest(t.Context(), store.Networks{})); err != nil {
			t.Error(err)
		}
	}
	if failed := s.of("failed locked"); failed != 0 {
		t.Errorf("%d were counted as failed", failed)
	}
}
