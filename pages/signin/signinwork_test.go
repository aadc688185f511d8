package signin_test

import (
	"net/http"
	"testing"

	"portico/pages/pagestest"
	"portico/store/storetest"
)

// TestSignInAndLandingTakeFewStatements sends the sign-in form, follows the redirect to the landing site, and counts
// the statements on Postgres.
func TestSignInAndLandingTakeFewStatements(t *testing.T) {
	db, wire := storetest.Watched(t)
	s := pagestest.NewSite(t, pagestest.Options{DB: db, Limits: true})
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
		b := s.Browser()
		for range 2 { // prepares the statements
			signInAndLand(s, b, c.host, c.phone)
			dropSessions(b)
		}
		// The smallest of three counts: sometimes a connection of the pool has to prepare a statement first.
		var work storetest.Work
		for i := range 3 {
			if !c.known {
				b = s.Browser()
			}
			took := wire.Measure(func() { signInAndLand(s, b, c.host, c.phone) })
			if i == 0 || took.RoundTrips < work.RoundTrips {
				work = took
			}
			dropSessions(b)
		}
		if work.RoundTrips != c.roundTrips || work.Commits != c.commits || work.Rows != c.rows {
			t.Errorf("%s: %+v", c.name, work)
		}
	}
}

// dropSessions deletes the browser's session cookies, as if the sessions had expired.
func dropSessions(b *pagestest.Browser) {
	for _, cookies := range b.Jar {
		delete(cookies, "portico_session")
	}
}

// signInAndLand signs in on a host with a phone and opens the landing page. It fails the test when that is not a shop.
func signInAndLand(s *pagestest.Site, b *pagestest.Browser, host, phone string) {
	s.T.Helper()
	r := b.SignIn(host, phone)
	pagestest.WantStatus(s.T, r, http.StatusSeeOther)
	r = b.Get(r.Header.Get("Location"))
	pagestest.WantStatus(s.T, r, http.StatusSeeOther)
	if to := pagestest.Unmarked(r.Header.Get("Location")); to != "/home" && to != "/shop" {
		s.T.Fatalf("landed at %s", to)
	}
}
