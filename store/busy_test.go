package store_test

import (
	"context"
	"errors"
	"fmt"
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
