package pagestest

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const OfficeOnPhone, ShopOnPhone = "http://mgr.portico.test/home", "http://m.portico.test/shop"

// FormFields reads the hidden fields and typed values of the form with an action from a page.
func FormFields(t testing.TB, page, action string) url.Values {
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

// EnterAccount enters an account of the person who is signed in at the account site.
func (b *Browser) EnterAccount(login string) string {
	b.T.Helper()
	m, err := b.DB.MembersByLogin(b.T.Context(), login)
	if err != nil || len(m) != 1 {
		b.T.Fatalf("%s: %d accounts, %v", login, len(m), err)
	}
	answer, at := b.Follow(b.Post(AccountSite+"/accounts", "action", "enter", "account_id", strconv.FormatInt(m[0].ID, 10)),
		AccountSite+"/accounts")
	WantStatus(b.T, answer, http.StatusOK)
	return at
}

// SignInOnPhone signs a person in on a phone and enters one of their accounts.
func (s *Site) SignInOnPhone(who, login string) *Browser {
	b := s.Browser()
	b.Agent = PhoneAgent
	b.SignIn("account.portico.test", who)
	b.EnterAccount(login)
	return b
}

// WantSameRedirectTwice sends a form, and then the same form again, as after a lost response. Both must redirect to the same page,
// and the second one must not set the session's cookie.
func (b *Browser) WantSameRedirectTwice(to, address string, pairs ...string) {
	b.T.Helper()
	WantRedirect(b.T, b.Post(address, pairs...), to)
	r := b.Post(address, pairs...)
	WantRedirect(b.T, r, to)
	for _, cookie := range r.Cookies() {
		if cookie.Name == "portico_session" {
			b.T.Errorf("the cookie of the session is set again: %q", cookie.Value)
		}
	}
}

// CountNotices counts the notices to a phone.
func CountNotices(s *Site, phone string) (n int) {
	s.Portal.Stop(s.T.Context())
	for _, m := range s.Messages {
		if m.Phone == phone && m.Notice != "" {
			n++
		}
	}
	return n
}
