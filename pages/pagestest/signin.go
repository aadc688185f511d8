package pagestest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"

	"portico/portal/access"
	"portico/store"
)

// SetAccountState enables or disables an account of 1001.
func (s *Site) SetAccountState(login string, state store.AccountState) {
	s.T.Helper()
	if err := s.Db.Accounts.SetState(s.T.Context(), 1001, s.Account(login).ID, state); err != nil {
		s.T.Fatal(err)
	}
}

// Crowd lets people sign in over and over until the test ends, each from a network of their own. Their passwords take
// long to hash.
func (s *Site) Crowd(people int) {
	s.T.Helper()
	ctx, cancel := context.WithCancel(s.T.Context())
	var all sync.WaitGroup
	for i := range people {
		from := access.WithCaller(ctx, access.Caller{RequestID: "r", Address: fmt.Sprintf("10.%d.0.1", i)})
		all.Go(func() {
			for try := 0; ctx.Err() == nil; try++ {
				form := url.Values{"phone": {fmt.Sprintf("139%04d%04d", i, try)}, "password": {"Wrong2026"}}
				body := strings.NewReader(form.Encode())
				r := httptest.NewRequest(http.MethodPost, "http://account.portico.test/login", body)
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("Sec-Fetch-Site", "same-origin")
				s.Doors.ServeHTTP(httptest.NewRecorder(), r.WithContext(from))
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	s.T.Cleanup(func() {
		cancel()
		all.Wait()
	})
}

// AddCompanies adds companies with the ids from first on.
func (s *Site) AddCompanies(first, count int64) {
	s.T.Helper()
	for id := first; id < first+count; id++ {
		if _, err := s.Db.Companies.Save(s.T.Context(), store.Company{
			ID: id, Name: fmt.Sprint("Company ", id), Theme: fmt.Sprintf("%06x", id*7919%0xffffff),
			Language: "en", Standing: store.Formal, Mall: store.MallOpen, CreatedAt: 1, UpdatedAt: 1,
		}); err != nil {
			s.T.Fatal(err)
		}
	}
}

// SignInPage gets the sign-in page of a company as a new visitor does, in an encoding.
func (s *Site) SignInPage(method string, company int64, encoding string, headers ...string) *http.Response {
	s.T.Helper()
	address := fmt.Sprintf("http://store%d.portico.test/login", company)
	headers = append(headers, "Accept-Encoding", encoding, "Sec-Fetch-Dest", "document")
	return s.Browser().Do(method, address, nil, headers...)
}

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
