package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/pages/web"
	"portico/portal/onboarding"
	"portico/store"
	"portico/store/storetest"
)

const AccountLogin = "http://account.portico.test/login"

// sessionCookie returns the session cookie that an answer sets, nil for none.
func sessionCookie(r *http.Response) *http.Cookie {
	for _, c := range r.Cookies() {
		if strings.HasSuffix(c.Name, "portico_session") {
			return c
		}
	}
	return nil
}

func TestSessionCookieEndsWithTheBrowserUnlessRemembered(t *testing.T) {
	for name, production := range map[string]bool{"portico_session": false, "__Host-portico_session": true} {
		for remember, seconds := range map[string]int{"": 0, "1": 30 * 24 * 3600} {
			b := pagestest.NewSite(t, pagestest.Options{Production: production}).Browser()
			r := b.Post(AccountLogin, "phone", "13800000003", "password", onboarding.DemoPassword, "remember", remember)
			pagestest.WantStatus(t, r, http.StatusSeeOther)
			c := sessionCookie(r)
			if c == nil || c.Name != name || c.Secure != production || !c.HttpOnly || c.Path != "/" || c.Domain != "" ||
				c.SameSite != http.SameSiteLaxMode || c.MaxAge != seconds || c.Expires.IsZero() != (seconds == 0) {
				t.Errorf("remember=%q: %+v", remember, c)
			}
			if control := r.Header.Values("Cache-Control"); len(control) != 1 || control[0] != "no-store" {
				t.Errorf("Cache-Control: %q", control)
			}
			if vary := strings.Join(r.Header.Values("Vary"), ","); strings.Contains(vary, "Cookie") {
				t.Errorf("Vary: %s", vary)
			}
			c = sessionCookie(b.Post("http://account.portico.test/logout"))
			if c == nil || c.MaxAge >= 0 || c.Value != "" || c.Path != "/" || c.Secure != production {
				t.Errorf("signed out: %+v", c)
			}
		}
	}
}

func TestCookieOfALandingHostLastsThirtyDays(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	r := b.SignIn("account.portico.test", "13800000001")
	r = b.Get(r.Header.Get("Location"))
	pagestest.WantStatus(t, r, http.StatusSeeOther)
	if c := sessionCookie(r); c == nil || c.MaxAge != 30*24*3600 {
		t.Errorf("%+v", c)
	}
}

func TestCachedSignInPageIsTheSameForAllBrowsersWithoutASession(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	page := func(cookies string) (*http.Response, string) {
		r := s.Browser().Get(AccountLogin, "Cookie", cookies)
		pagestest.WantStatus(t, r, http.StatusOK)
		return r, pagestest.Text(t, r)
	}
	_, first := page("")
	for _, cookies := range []string{"", "lang=zh", "portico_device=x.y", "portico_share=1.2"} {
		r, body := page(cookies)
		if body != first {
			t.Errorf("the page differs for the cookie %q", cookies)
		}
		if vary := r.Header.Values("Vary"); len(vary) != 1 || vary[0] != web.PageVary {
			t.Errorf("Vary: %q", vary)
		}
		if c := sessionCookie(r); c != nil {
			t.Errorf("the page sets the cookie %+v", c)
		}
		if control := r.Header.Values("Cache-Control"); len(control) != 1 || control[0] != "private, no-cache" {
			t.Errorf("Cache-Control: %q", control)
		}
	}
}

func TestLostSessionCookieIsSentAgain(t *testing.T) {
	storetest.EachRule(t, func(t *testing.T, db *store.DB) {
		b := pagestest.NewSite(t, pagestest.Options{DB: db}).Browser()
		b.SignIn("account.portico.test", "13800000003")
		pagestest.WantStatus(t, b.Get("http://account.portico.test/password"), http.StatusOK)
		old := b.Jar["account.portico.test"]["portico_session"].Value
		r := b.Post("http://account.portico.test/password", "old_password", onboarding.DemoPassword,
			"password", "Blauwal77", "confirm_password", "Blauwal77")
		pagestest.WantStatus(t, r, http.StatusSeeOther)
		renewed := sessionCookie(r)
		for range 3 {
			r := b.Get("http://account.portico.test/company", "Cookie", "portico_session="+old)
			pagestest.WantStatus(t, r, http.StatusOK)
			if c := sessionCookie(r); c == nil || c.Value != renewed.Value || c.MaxAge != 0 {
				t.Errorf("the browser gets %+v, want %+v", c, renewed)
			}
		}
		r = b.Get("http://account.portico.test/company", "Cookie", "portico_session="+renewed.Value)
		pagestest.WantStatus(t, r, http.StatusOK)
		if c := sessionCookie(r); c != nil {
			t.Errorf("the new cookie is set again: %+v", c)
		}
		r = b.Get("http://account.portico.test/company", "Cookie", "portico_session="+old)
		pagestest.WantStatus(t, r, http.StatusSeeOther)
	})
}

// slowBody is the body of a request. Before the first byte is read it calls BeforeRead.
type slowBody struct {
	io.Reader
	BeforeRead func()
}

func (b *slowBody) Read(into []byte) (int, error) {
	if b.BeforeRead != nil {
		b.BeforeRead()
		b.BeforeRead = nil
	}
	return b.Reader.Read(into)
}

func TestFormChangesNothingWhenItsSessionEndsWhileItIsSent(t *testing.T) {
	storetest.EachRule(t, func(t *testing.T, db *store.DB) {
		s := pagestest.NewSite(t, pagestest.Options{DB: db})
		b := s.Browser()
		b.SignIn("account.portico.test", "13800000003")
		pagestest.WantStatus(t, b.Get("http://account.portico.test/company"), http.StatusOK)
		cookie := b.Jar["account.portico.test"]["portico_session"].Value
		form := "old_password=" + onboarding.DemoPassword + "&password=Blauwal77&confirm_password=Blauwal77"
		r := httptest.NewRequest(http.MethodPost, "/password",
			&slowBody{Reader: strings.NewReader(form), BeforeRead: func() {
				pagestest.WantStatus(t, b.Post("http://account.portico.test/logout"), http.StatusSeeOther)
			}})
		r.Host = "account.portico.test"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Header.Set("User-Agent", b.Agent)
		r.Header.Set("Cookie", "portico_session="+cookie)
		answer := httptest.NewRecorder()
		s.Handler.ServeHTTP(answer, r)
		to := answer.Header().Get("Location")
		if answer.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/login") {
			t.Errorf("%d to %q", answer.Code, to)
		}
		if r := s.Browser().SignIn("account.portico.test", "13800000003"); r.StatusCode != http.StatusSeeOther {
			t.Error("the password was changed")
		}
	})
}
