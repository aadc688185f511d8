package pagestest

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

const Shop = "http://store1001.portico.test/home"

// SignInByPhone signs in and lands.
func (s *Site) SignInByPhone(phone string) *Browser {
	s.T.Helper()
	b := s.Browser()
	const from = "http://account.portico.test/login"
	landed, at := b.Follow(b.SignIn("account.portico.test", phone), from)
	WantStatus(s.T, landed, http.StatusOK)
	if strings.HasPrefix(at, "http://account.") {
		s.T.Fatalf("%s stays at %s", phone, at)
	}
	return b
}

// FindIn is what the first group of a pattern holds on a page.
func FindIn(t testing.TB, page, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no %s on\n%s", pattern, page)
	}
	return m[1]
}
