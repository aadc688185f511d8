package steps

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"portico/e2e/browser"
	"portico/store"
)

// requiring keeps tests that run at the same time apart: the database counts attempts only in the order of their times.
var requiring sync.Mutex

// RequireWork makes Limited demand a proof of work from this machine before it sends a code.
func RequireWork(t *testing.T) {
	t.Helper()
	requiring.Lock()
	defer requiring.Unlock()
	db, now := browser.Limited(t).Database(t), store.At(time.Now())
	for range 3 {
		if _, err := db.Attempts.Raise(t.Context(), "sms:address:127.0.0.1", now, now-1); err != nil {
			t.Fatal(err)
		}
	}
}

// RequireProof makes Limited demand a proof at the next sign-in with a phone, without the waits that usually come
// before.
func RequireProof(t *testing.T, number string) {
	t.Helper()
	requiring.Lock()
	defer requiring.Unlock()
	db, now := browser.Limited(t).Database(t), store.At(time.Now())
	owner, err := db.Persons.ByNumber(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err := db.Attempts.Raise(t.Context(), phoneSubject(owner.ID), now, now-1); err != nil {
			t.Fatal(err)
		}
	}
}

// phoneSubject is the name under which the database counts attempts at a phone's password.
func phoneSubject(id int64) string { return fmt.Sprintf("phone:%d", id) }
