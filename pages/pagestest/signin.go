package pagestest

import (
	"net/http"
	"strconv"
	"strings"

	"portico/portal/onboarding"
	"portico/portal/signin"
)

// SignIn sends the sign-in form of a host with a phone and the password of the demo, and returns the answer.
func (b *Browser) SignIn(host, phone string) *http.Response {
	return b.Post("http://"+host+"/login", "phone", phone, "password", onboarding.DemoPassword)
}

// SignInAndFollow signs in on the account site and follows the redirects. It returns the last page and its address, and
// fails the test when that is an error page.
func (b *Browser) SignInAndFollow(phone string) (page, at string) {
	b.T.Helper()
	r, at := b.Follow(b.SignIn("account.portico.test", phone), AccountSite+"/login")
	WantStatus(b.T, r, http.StatusOK)
	return Text(b.T, r), at
}

// EnterAccount enters an account of the person who is signed in on the account site, and returns the address of the
// page that follows. It fails the test when the account cannot be entered.
func (b *Browser) EnterAccount(login string) string {
	b.T.Helper()
	m, err := b.DB.Accounts.ByLogin(b.T.Context(), login)
	if err != nil || len(m) != 1 {
		b.T.Fatalf("%s: %d accounts, %v", login, len(m), err)
	}
	answer, at := b.Follow(b.Post(AccountSite+"/accounts", "action", "enter", "account_id",
		strconv.FormatInt(m[0].ID, 10)),
		AccountSite+"/accounts")
	WantStatus(b.T, answer, http.StatusOK)
	return at
}

// SignInByPhone returns a browser that signed in with a phone and entered its only account. It fails the test when the
// sign-in does not lead to a shop or back office.
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

// SignInByName returns a browser that signed in with an account name, entered the account and skipped binding a phone.
// It fails the test when that ends in an error page.
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

// SignInAsEmployee returns a browser that is in the back office of company 1001 as an employee. It fails the test when
// the sign-in fails.
func (s *Site) SignInAsEmployee() *Browser {
	s.T.Helper()
	return s.SignInByName("li.manager")
}

// SignInOnPhone returns a browser on a phone that signed in with a number and entered an account of it.
func (s *Site) SignInOnPhone(who, login string) *Browser {
	b := s.Browser()
	b.Agent = PhoneAgent
	b.SignIn("account.portico.test", who)
	b.EnterAccount(login)
	return b
}

// AppToken returns an API token for an account in the app. It fails the test when the sign-in fails.
func (s *Site) AppToken(login string) string {
	s.T.Helper()
	result, err := s.Portal.Signin.ClientLogin(s.T.Context(),
		signin.ClientLoginInput{Login: login, Password: onboarding.DemoPassword, Client: signin.ClientApp})
	if err != nil || result.User == nil {
		s.T.Fatalf("%+v, %v", result, err)
	}
	return string(result.User.Token)
}

// WantSameRedirectTwice sends a form, and then the same form again, as after a lost response. Both must redirect to the
// same page, and the second one must not set the session's cookie; otherwise it fails the test.
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
