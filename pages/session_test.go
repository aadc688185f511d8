package pages_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/portal/onboarding"
	"portico/store"
	"portico/store/storetest"
)

const accountLogin = "http://account.portico.test/login"

// sessionCookie is the session cookie that an answer sets, nil for none.
func sessionCookie(r *http.Response) *http.Cookie {
	for _, c := range r.Cookies() {
		if strings.HasSuffix(c.Name, "portico_session") {
			return c
		}
	}
	return nil
}

func TestTheSessionCookieEndsWithTheBrowserUnlessThePersonAskedToBeRemembered(t *testing.T) {
	for name, production := range map[string]bool{"portico_session": false, "__Host-portico_session": true} {
		for remember, seconds := range map[string]int{"": 0, "1": 30 * 24 * 3600} {
			b := newSite(t, options{production: production}).browser()
			r := b.post(accountLogin, "phone", "13800000003", "password", onboarding.DemoPassword, "remember", remember)
			wantStatus(t, r, http.StatusSeeOther)
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
			c = sessionCookie(b.post("http://account.portico.test/logout"))
			if c == nil || c.MaxAge >= 0 || c.Value != "" || c.Path != "/" || c.Secure != production {
				t.Errorf("signed out: %+v", c)
			}
		}
	}
}

func TestTheCookieOfALandingHostLastsThirtyDays(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	r := b.signIn("account.portico.test", "13800000001")
	r = b.get(r.Header.Get("Location"))
	wantStatus(t, r, http.StatusSeeOther)
	if c := sessionCookie(r); c == nil || c.MaxAge != 30*24*3600 {
		t.Errorf("%+v", c)
	}
}

func TestACachedSignInPageIsTheSameForEveryBrowserWithoutASession(t *testing.T) {
	s := newSite(t, options{})
	page := func(cookies string) (*http.Response, string) {
		r := s.browser().get(accountLogin, "Cookie", cookies)
		wantStatus(t, r, http.StatusOK)
		return r, text(t, r)
	}
	_, first := page("")
	for _, cookies := range []string{"", "lang=zh", "portico_device=x.y", "portico_share=1.2"} {
		r, body := page(cookies)
		if body != first {
			t.Errorf("with %q the page is another one", cookies)
		}
		if vary := r.Header.Values("Vary"); len(vary) != 1 || vary[0] != "Accept-Encoding, Cookie, User-Agent" {
			t.Errorf("Vary: %q", vary)
		}
		if c := sessionCookie(r); c != nil {
			t.Errorf("it sets %+v", c)
		}
		if control := r.Header.Values("Cache-Control"); len(control) != 1 || control[0] != "private, no-cache" {
			t.Errorf("Cache-Control: %q", control)
		}
	}
}

func TestABrowserThatMissedItsNewCookieGetsItAgain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newSite(t, options{db: db}).browser()
		b.signIn("account.portico.test", "13800000003")
		wantStatus(t, b.get("http://account.portico.test/password"), http.StatusOK)
		old := b.jar["account.portico.test"]["portico_session"].Value
		r := b.post("http://account.portico.test/password", "old_password", onboarding.DemoPassword,
			"password", "Blauwal77", "confirm_password", "Blauwal77")
		wantStatus(t, r, http.StatusSeeOther)
		fresh := sessionCookie(r)
		for range 3 {
			r := b.get("http://account.portico.test/company", "Cookie", "portico_session="+old)
			wantStatus(t, r, http.StatusOK)
			if c := sessionCookie(r); c == nil || c.Value != fresh.Value || c.MaxAge != 0 {
				t.Errorf("it gets %+v, want %+v", c, fresh)
			}
		}
		r = b.get("http://account.portico.test/company", "Cookie", "portico_session="+fresh.Value)
		wantStatus(t, r, http.StatusOK)
		if c := sessionCookie(r); c != nil {
			t.Errorf("the new cookie is set again: %+v", c)
		}
		r = b.get("http://account.portico.test/company", "Cookie", "portico_session="+old)
		wantStatus(t, r, http.StatusSeeOther)
	})
}

// slowBody is a form whose body arrives after something else has happened.
type slowBody struct {
	io.Reader
	meanwhile func()
}

func (b *slowBody) Read(into []byte) (int, error) {
	if b.meanwhile != nil {
		b.meanwhile()
		b.meanwhile = nil
	}
	return b.Reader.Read(into)
}

func TestAFormWhoseSessionEndsWhileItIsSentChangesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := newSite(t, options{db: db})
		b := s.browser()
		b.signIn("account.portico.test", "13800000003")
		wantStatus(t, b.get("http://account.portico.test/company"), http.StatusOK)
		cookie := b.jar["account.portico.test"]["portico_session"].Value
		form := "old_password=" + onboarding.DemoPassword + "&password=Blauwal77&confirm_password=Blauwal77"
		r := httptest.NewRequest(http.MethodPost, "/password", &slowBody{strings.NewReader(form), func() {
			wantStatus(t, b.post("http://account.portico.test/logout"), http.StatusSeeOther)
		}})
		r.Host = "account.portico.test"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Header.Set("User-Agent", b.agent)
		r.Header.Set("Cookie", "portico_session="+cookie)
		answer := httptest.NewRecorder()
		s.doors.ServeHTTP(answer, r)
		to := answer.Header().Get("Location")
		if answer.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/login") {
			t.Errorf("%d to %q", answer.Code, to)
		}
		if r := s.browser().signIn("account.portico.test", "13800000003"); r.StatusCode != http.StatusSeeOther {
			t.Error("the password was changed")
		}
	})
}
