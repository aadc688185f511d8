package pagestest

import (
	"net/http"

	"portico/portal/onboarding"
)

const Settings = Office + "/settings"

// Employee is signed in to the back office of 1001 without its administrators' rights.
func (s *Site) Employee() *Browser {
	s.T.Helper()
	b := s.Browser()
	landed, _ := b.Follow(b.Post("http://account.portico.test/login/account", "login", "li.manager", "password", onboarding.DemoPassword), "http://account.portico.test/login/account")
	WantStatus(s.T, landed, http.StatusOK)
	return b
}
