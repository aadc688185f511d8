package pagestest

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"portico/store"
)

const PhoneOffice, PhoneShop = "http://mgr.portico.test/home", "http://m.portico.test/shop"

// FormOf reads the hidden fields and typed values of the form with an action from a page.
func FormOf(t testing.TB, page, action string) url.Values {
	t.Helper()
	_, form, ok := strings.Cut(page, `action="`+action+`"`)
	if !ok {
		t.Fatalf("no form to %s in\n%s", action, page)
	}
	form, _, _ = strings.Cut(form, "</form>")
	fields := url.Values{}
	for _, input := range regexp.MustCompile(`<input[^>]*>`).FindAllString(form, -1) {
		name := regexp.MustCompile(` name="([^"]*)"`).FindStringSubmatch(input)
		value := regexp.MustCompile(` value="([^"]*)"`).FindStringSubmatch(input)
		if name == nil || strings.Contains(input, "checkbox") && !strings.Contains(input, " checked") ||
			strings.Contains(input, "radio") && !strings.Contains(input, " checked") {
			continue
		}
		if value == nil {
			value = []string{"", ""}
		}
		fields.Set(name[1], html.UnescapeString(value[1]))
	}
	return fields
}

func (b *Browser) SendForm(address string, fields url.Values) *http.Response {
	return b.Do(http.MethodPost, address, fields)
}

// Enters enters an account of the person who is signed in at the account site.
func (b *Browser) Enters(login string) string {
	b.T.Helper()
	m, err := b.Db.Accounts.ByLogin(b.T.Context(), login)
	if err != nil || len(m) != 1 {
		b.T.Fatalf("%s: %d accounts, %v", login, len(m), err)
	}
	answer, at := b.Follow(b.Post(Account+"/accounts", "action", "enter", "account_id", strconv.FormatInt(m[0].ID, 10)),
		Account+"/accounts")
	WantStatus(b.T, answer, http.StatusOK)
	return at
}

// OnPhone signs a person in on a phone and enters one of their accounts.
func (s *Site) OnPhone(who, login string) *Browser {
	b := s.Browser()
	b.Agent = PhoneAgent
	b.SignIn("account.portico.test", who)
	b.Enters(login)
	return b
}

// WithTwoOffices signs in a person on a phone who is an administrator of two companies, 1002 and 1001.
func (s *Site) WithTwoOffices() *Browser {
	s.T.Helper()
	li, err := s.Db.Accounts.ByLogin(s.T.Context(), "li.manager")
	if err != nil || len(li) != 1 {
		s.T.Fatal(len(li), err)
	}
	boss := li[0].Account
	boss.ID, boss.Type, boss.Login = 0, store.TypeAdministrator, "li.boss"
	if _, err := s.Db.Accounts.Add(s.T.Context(), boss); err != nil {
		s.T.Fatal(err)
	}
	return s.OnPhone("13800000003", "li.boss")
}

// SentTwice sends a form, and then the same form again, as after a lost response. Both must redirect to the same page,
// and the second one must not set the session's cookie.
func (b *Browser) SentTwice(to, address string, pairs ...string) {
	b.T.Helper()
	WantTo(b.T, b.Post(address, pairs...), to)
	r := b.Post(address, pairs...)
	WantTo(b.T, r, to)
	for _, cookie := range r.Cookies() {
		if cookie.Name == "portico_session" {
			b.T.Errorf("the cookie of the session is set again: %q", cookie.Value)
		}
	}
}

// Told counts the notices to a phone.
func (s *Site) Told(phone string) (n int) {
	s.P.Stop(s.T.Context())
	for _, m := range s.Messages {
		if m.Phone == phone && m.Notice != "" {
			n++
		}
	}
	return n
}
