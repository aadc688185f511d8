package pagestest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"portico/portal/onboarding"
	"portico/store"
)

const Settings = Office + "/settings"

// SignInAsEmployee is signed in to the back office of 1001 without its administrators' rights.
func (s *Site) SignInAsEmployee() *Browser {
	s.T.Helper()
	b := s.Browser()
	landed, _ := b.Follow(b.Post("http://account.portico.test/login/account", "login", "li.manager", "password",
		onboarding.DemoPassword), "http://account.portico.test/login/account")
	WantStatus(s.T, landed, http.StatusOK)
	return b
}

const Office = "http://store1001.portico.test/mgr"

const PeoplePath = "http://store1001.portico.test/mgr/people"

// Account is the demo account of a name.
func (s *Site) Account(login string) store.Member {
	s.T.Helper()
	members, err := s.DB.MembersByLogin(s.T.Context(), login)
	if err != nil || len(members) != 1 {
		s.T.Fatal(len(members), err)
	}
	return members[0]
}

// SignInByName signs in by an account's name and lands.
func (s *Site) SignInByName(login string) *Browser {
	s.T.Helper()
	b := s.Browser()
	const from = "http://account.portico.test/login/account"
	landed, at := b.Follow(b.Post(from, "login", login, "password", onboarding.DemoPassword), from)
	if strings.HasSuffix(at, "/bind") {
		landed, _ = b.Follow(b.Post(at, "action", "skip"), at)
	}
	WantStatus(s.T, landed, http.StatusOK)
	return b
}

// DumpWithoutSessions is everything, but for when somebody was last seen.
func (s *Site) DumpWithoutSessions() string {
	s.T.Helper()
	dump, err := s.DB.Dump(s.T.Context())
	if err != nil {
		s.T.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(dump) {
		if table, _, _ := strings.Cut(line, " "); !slices.Contains([]string{"sessions", "session_slots"}, table) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func Decimal(id int64) string { return strconv.FormatInt(id, 10) }
