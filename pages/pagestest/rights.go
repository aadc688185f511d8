package pagestest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/store"
)

// OfficeRow says whose a route of the back office is. Path is one to try, with the ids of company 1001; Forms are the bodies
// of its actions. Whoever may not learns so, or that there is nothing where it is hidden.
type OfficeRow struct {
	Route  string
	Right  access.Right // "" for everybody of the management side
	Path   string
	Forms  []string
	Hidden bool
}

// Refusal is the status of the row for those who may not.
func (row OfficeRow) Refusal() int {
	if row.Hidden {
		return http.StatusNotFound
	}
	return http.StatusForbidden
}

// Account is the demo account of a name.
func (s *Site) Account(login string) store.Member {
	s.T.Helper()
	members, err := s.Db.MembersByLogin(s.T.Context(), login)
	if err != nil || len(members) != 1 {
		s.T.Fatal(len(members), err)
	}
	return members[0]
}

// Named signs in by an account's name and lands.
func (s *Site) Named(login string) *Browser {
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

// Try sends the row's request, or each of its forms, under the back office of a company, and gives the statuses.
func (b *Browser) Try(row OfficeRow, base string) (got []int) {
	b.T.Helper()
	method, route, _ := strings.Cut(row.Route, " ")
	path := row.Path
	if path == "" {
		path = strings.TrimPrefix(route, "/home")
	}
	if method == http.MethodGet {
		return []int{b.Get(base + path).StatusCode}
	}
	for _, form := range row.Forms {
		values, err := url.ParseQuery(form)
		if err != nil {
			b.T.Fatal(err)
		}
		got = append(got, b.Do(http.MethodPost, base+path, values).StatusCode)
	}
	return got
}

// Stored is everything, but for when somebody was last seen.
func (s *Site) Stored() string {
	s.T.Helper()
	dump, err := s.Db.Dump(s.T.Context())
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
