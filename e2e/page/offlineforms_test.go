package page

import (
	"testing"
)

// wantHeld checks that forms wait while there is no connection. The first page of a sign-in may do without the script
// for that, to load fast; a refused one has it.
func wantHeld(t *testing.T, seen []sight) {
	t.Helper()
	for _, s := range seen {
		if s.unheld {
			t.Errorf("%s sends its form without a connection", s.name)
		}
	}
}

// sendsUnheld reports whether a page submits its forms without a connection.
const sendsUnheld = `() => !!document.querySelector("main form[method=post]") &&
	!document.querySelector("[data-island=offline]") &&
	!(["/login", "/login/account"].includes(location.pathname) && !document.querySelector("[aria-invalid]"))`
