package pagestest

import "net/http"

// EntersFrom signs in and lands.
func (s *Site) EntersFrom(b *Browser, host, phone string) {
	s.T.Helper()
	r := b.SignIn(host, phone)
	WantStatus(s.T, r, http.StatusSeeOther)
	r = b.Get(r.Header.Get("Location"))
	WantStatus(s.T, r, http.StatusSeeOther)
	if to := r.Header.Get("Location"); to != "/home" && to != "/shop" {
		s.T.Fatalf("landed at %s", to)
	}
}
