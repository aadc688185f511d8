package pagestest

import (
	"strings"

	"portico/portal/onboarding"
)

// ForeignCode returns the address of a landing page with the auth code of an account that an attacker signed in to.
func (s *Site) ForeignCode(login string) string {
	b := s.Browser()
	r := b.Post("http://account.portico.test/login/account", "login", login, "password", onboarding.DemoPassword)
	if at := r.Header.Get("Location"); strings.Contains(at, "auth_code_=") {
		return at
	}
	return b.Post("http://account.portico.test/bind", "action", "skip").Header.Get("Location")
}
