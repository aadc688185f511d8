package pagestest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const AccountSite = "http://account.portico.test"

// WantPage checks the status of a page and the texts that it must contain, and returns it.
func WantPage(t testing.TB, r *http.Response, status int, parts ...string) string {
	t.Helper()
	body := Text(t, r)
	if r.StatusCode != status {
		t.Fatalf("%d, want %d\n%s", r.StatusCode, status, body)
	}
	for _, part := range parts {
		if !strings.Contains(body, part) {
			t.Errorf("%q is missing in\n%s", part, body)
		}
	}
	return body
}

func WantRedirect(t testing.TB, r *http.Response, to string) {
	t.Helper()
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != to {
		t.Fatalf("%d to %q, want %q\n%s", r.StatusCode, r.Header.Get("Location"), to, Text(t, r))
	}
}

// WantSessionEnded wants a redirect to the sign-in page at an origin ("" for the same one), which later returns to a page.
func WantSessionEnded(t testing.TB, r *http.Response, origin, back string) {
	t.Helper()
	WantRedirect(t, r, origin+"/login?done=session_ended&return="+url.QueryEscape(back))
}

// WantSignIn is wantSignIn for a browser that never had a session there.
func WantSignIn(t testing.TB, r *http.Response, origin, back string) {
	t.Helper()
	WantRedirect(t, r, origin+"/login?return="+url.QueryEscape(back))
}
