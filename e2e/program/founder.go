package program

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/store"
)

// Founder is a person who registers a company. No other test uses the phone.
type Founder struct{ Phone, Name, Company string }

// NewFounder returns a founder whose phone nobody has registered.
func NewFounder() Founder {
	number := NewPhone()
	return Founder{number, PersonName(number), named(order(number), streets, shops)}
}

// RegisterCompany registers a company over HTTP, without a browser. It imports the sample data of an industry, or none
// for 0. The founder's password is NewPassword.
func (s *Server) RegisterCompany(t *testing.T, lang string, industry int) Founder {
	t.Helper()
	client, f := s.Client(), NewFounder()
	defer client.CloseIdleConnections()
	s.submitForm(t, client, http.StatusOK, "/register", "action", "send_code", "phone", f.Phone)
	list, err := s.Inbox(f.Phone)
	if err != nil || len(list) != 1 {
		t.Fatal(len(list), err)
	}
	s.submitForm(
		t,
		client,
		http.StatusSeeOther,
		"/register?lang="+lang,
		"phone",
		f.Phone,
		"code",
		list[0].Code,
		"password",
		NewPassword,
		"name",
		f.Name,
		"company_name",
		f.Company,
		"agree",
		"1",
	)
	if industry != 0 {
		s.submitForm(t, client, http.StatusSeeOther, "/register/init", "industry", fmt.Sprint(industry), "import", "1")
	}
	return f
}

// submitForm sends a form of the account site as its own page would. pairs are names and values. It fails the test if
// the status is not want.
func (s *Server) submitForm(t *testing.T, client *http.Client, want int, path string, pairs ...string) {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	r, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, s.URL("account", path), strings.NewReader(form.Encode()),
	)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != want {
		t.Fatalf("%s: status %d, want %d\n%s", path, answer.StatusCode, want, body)
	}
}

// CompanyOf returns the id of the newest company that a phone administers, 0 if there is none.
func (s *Server) CompanyOf(t *testing.T, number string) int64 {
	t.Helper()
	return int64(
		s.Count(
			t,
			`SELECT COALESCE(MAX(a.company_id), 0) FROM accounts a JOIN phones p ON p.id = a.phone_id
				WHERE p.phone = ? AND a.side = 'mgr'`,
			number,
		),
	)
}

// SetTrialEnd makes a company's trial end after a duration from now.
func (s *Server) SetTrialEnd(t *testing.T, id int64, in time.Duration) {
	t.Helper()
	db := s.Database(t)
	c, err := db.Companies.ByID(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c.EndsAt = store.At(time.Now().Add(in))
	if err := db.Companies.Update(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}
