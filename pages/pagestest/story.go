package pagestest

import (
	"net/http"
	"strings"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/store"
)

const (
	StoryPassword = "Blauwal77"
)

// ArrivedCode waits for the messages that are on their way, and returns the last code to a phone. The strict mode sends
// messages after it has answered.
func (s *Site) ArrivedCode(phone string) string {
	s.T.Helper()
	s.P.Stop(s.T.Context())
	return s.LastCode(phone)
}

// Founds registers a company with a phone that nobody has registered, and gives its administrator.
func (s *Site) Founds(phone, company string) store.Member {
	s.T.Helper()
	b := s.Browser()
	b.Post(Account+"/register", "phone", phone, "action", "send_code")
	WantStatus(s.T, b.Post(Account+"/register", "phone", phone, "code", s.ArrivedCode(phone), "password", StoryPassword,
		"name", "周洁", "company_name", company, "agree", "1"), http.StatusSeeOther)
	person, err := s.Db.Phones.ByNumber(s.T.Context(), phone)
	if err != nil {
		s.T.Fatal(err)
	}
	members, err := s.Db.Accounts.ByPhone(s.T.Context(), person.ID)
	if err != nil || len(members) != 1 {
		s.T.Fatal(err, members)
	}
	return members[0]
}

// Opens opens an account for a phone in the back office of a company, and gives the account and its invitation link.
func (s *Site) Opens(administrator store.Member, phone string, fields ...string) (m store.Member, link string) {
	s.T.Helper()
	b := s.Browser()
	password := StoryPassword
	if administrator.Phone == "13800000003" {
		password = onboarding.DemoPassword
	}
	b.Post(Account+"/login", "phone", administrator.Phone, "password", password)
	at := b.Enters(administrator.Login)
	at, _, _ = strings.Cut(at, "?")
	opened := b.Post(at+"/people/new", append(fields, "phone", phone, "name", "掌柜")...)
	WantStatus(s.T, opened, http.StatusSeeOther)
	to, _, _ := strings.Cut(opened.Header.Get("Location"), "?")
	page := WantPage(s.T, b.Get(at[:strings.LastIndex(at, "/")]+to), http.StatusOK)
	id, _ := access.DecimalID(to[strings.LastIndex(to, "/")+1:])
	m, err := s.Db.Accounts.ByID(s.T.Context(), administrator.CompanyID, id)
	if err != nil {
		s.T.Fatal(err)
	}
	return m, Found(s.T, page, `readonly value="([^"]+)"`)
}
