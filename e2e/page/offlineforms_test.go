package page

import (
	"testing"
)

// wantFormsWaitOffline checks that no page sends its forms without a connection. The first page of a sign-in may,
// because it loads without the script for that; a refused sign-in has it.
func wantFormsWaitOffline(t *testing.T, pages []inspection) {
	t.Helper()
	for _, s := range pages {
		if s.sendsOffline {
			t.Errorf("%s sends its form without a connection", s.name)
		}
	}
}

// sendsFormsOffline reports whether a page submits its forms without a connection.
const sendsFormsOffline = `() => !!document.querySelector("main form[method=post]") &&
	!document.querySelector("[data-island=offline]") &&
	!(["/login", "/login/account"].includes(location.pathname) && !document.querySelector("[aria-invalid]"))`
