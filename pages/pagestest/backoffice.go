package pagestest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/ordering"
	"portico/store"
	"portico/store/storetest"
)

const Settings = Office + "/settings"

// Employee is signed in to the back office of 1001 without its administrators' rights.
func (s *Site) Employee() *Browser {
	s.T.Helper()
	b := s.Browser()
	landed, _ := b.Follow(b.Post("http://account.portico.test/login/account", "login", "li.manager", "password",
		onboarding.DemoPassword), "http://account.portico.test/login/account")
	WantStatus(s.T, landed, http.StatusOK)
	return b
}

const Office = "http://store1001.portico.test/mgr"

const PeoplePath = "http://store1001.portico.test/mgr/people"

// Opening sends the form that opens an account; fields come in pairs.
func (b *Browser) Opening(fields ...string) *http.Response {
	b.T.Helper()
	return b.Post(PeoplePath+"/new", append(fields, "form", ordering.NewForm())...)
}

// Shown adds page views of company 1001, as many days ago.
func (s *Site) Shown(daysAgo int, page, device string, n int64) {
	s.T.Helper()
	day := store.DayOf(s.Clock.In(time.FixedZone("", 8*60*60))) - store.Day(daysAgo)
	if err := s.Db.Views.Add(s.T.Context(), []store.PageViews{{ViewKey: store.ViewKey{CompanyID: 1001, Day: day,
		Page: page, Device: device}, Views: n}}); err != nil {
		s.T.Fatal(err)
	}
}

// Member returns the demo account of a name that is taken on one side only.
func (s *Site) Member(login string) store.Member {
	s.T.Helper()
	members, err := s.Db.Accounts.ByLogin(s.T.Context(), login)
	if err != nil || len(members) != 1 {
		s.T.Fatalf("%d accounts are named %s: %v", len(members), login, err)
	}
	return members[0]
}

// AddCustomers adds customers and pending applications to company 1001.
func (s *Site) AddCustomers(count int) {
	s.T.Helper()
	const series = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
	storetest.Exec(s.T, s.Db, fmt.Sprintf("INSERT INTO clients (company_id, name, created_at) "+series+
		"SELECT 1001, 'Shop ' || i, 1 FROM n", count))
	storetest.Exec(s.T, s.Db, fmt.Sprintf(`INSERT INTO applications
		(id, company_id, phone, company_name, contact_name, created_at) `+series+
		`SELECT 900000 + i, 1001, CAST(15000000000 + i AS TEXT), 'Shop ' || i, 'Person', 1000 + i FROM n`, count))
}

// OfficeRow says whose a route of the back office is. Path is one to try, with the ids of company 1001; Forms are the
// bodies of its actions. Whoever may not learns so, or that there is nothing where it is hidden.
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
	members, err := s.Db.Accounts.ByLogin(s.T.Context(), login)
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
