package pages_test

import (
	"net/http"
	"testing"

	"portico/store/storetest"
)

// TestASignInWithItsLandingCostsLittle plays the form and the redirect to the landing site, and counts what Postgres
// has to do.
func TestASignInWithItsLandingCostsLittle(t *testing.T) {
	db, wire := storetest.Watched(t)
	s := newSite(t, options{db: db, limits: true})
	for _, c := range []struct {
		name, host, phone         string
		known                     bool
		roundTrips, commits, rows int
	}{
		{"a known browser on the account site", "account.portico.test", "13800000001", true, 10, 2, 7},
		{"a new browser on the account site", "account.portico.test", "13800000001", false, 11, 2, 9},
		{"a known browser on the company's host", "store1001.portico.test", "13800000001", true, 11, 2, 6},
		{"a new browser on the company's host", "store1001.portico.test", "13800000001", false, 12, 2, 8},
	} {
		b := s.browser()
		for range 2 { // prepares the statements
			s.entersFrom(b, c.host, c.phone)
			signOutQuietly(b)
		}
		// The least of three: now and then a connection of the pool has to prepare a statement first.
		var work storetest.Work
		for i := range 3 {
			if !c.known {
				b = s.browser()
			}
			took := wire.Measure(func() { s.entersFrom(b, c.host, c.phone) })
			if i == 0 || took.RoundTrips < work.RoundTrips {
				work = took
			}
			signOutQuietly(b)
		}
		if work.RoundTrips != c.roundTrips || work.Commits != c.commits || work.Rows != c.rows {
			t.Errorf("%s: %+v", c.name, work)
		}
	}
}

// signOutQuietly drops the browser's session cookies, as if the sessions had expired long ago.
func signOutQuietly(b *browser) {
	for _, cookies := range b.jar {
		delete(cookies, "portico_session")
	}
}

// entersFrom signs in and lands.
func (s *site) entersFrom(b *browser, host, phone string) {
	s.t.Helper()
	r := b.signIn(host, phone)
	wantStatus(s.t, r, http.StatusSeeOther)
	r = b.get(r.Header.Get("Location"))
	wantStatus(s.t, r, http.StatusSeeOther)
	if to := r.Header.Get("Location"); to != "/home" && to != "/shop" {
		s.t.Fatalf("landed at %s", to)
	}
}
