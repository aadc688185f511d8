package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/portal/onboarding"
)

// A person can get a token of their own and put it into a form on another site. Old WebViews do not say where a form
// comes from.
func TestAnOldWebViewsFormWithTheTokenOfAnotherPersonIsRefused(t *testing.T) {
	s := newSite(t, options{})
	attacker := s.onPhone("13800000001", "buyer1")
	ofShop := formOf(t, wantPage(t, attacker.get(phoneShop), http.StatusOK), "/shop/orders").Get("token")
	ofAccount := formOf(t, wantPage(t, attacker.get(account+"/accounts?all=1"), http.StatusOK), "/logout").Get("token")

	victim := s.onPhone("13800000003", "li.shop")
	victim.bare = true
	before := s.rows("page_views", "kept_forms")
	send := func(address, token string, fields ...string) *http.Response {
		form := url.Values{"token": {token}}
		for i := 0; i < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		return victim.sendForm(address, form)
	}
	for path, field := range map[string][]string{
		"/company": {"company_id", "1002", "default", "1"}, "/logout": nil,
		"/enter": {"side", "mgr"}, "/bind": {"remind", "0"},
	} {
		wantStatus(t, send(account+path, ofShop, field...), http.StatusForbidden)
	}
	wantStatus(t, send("http://m.portico.test/logout", ofAccount), http.StatusForbidden)
	wantStatus(t, send(account+"/company", ofAccount, "company_id", "1002", "default", "1"), http.StatusConflict)
	wantStatus(t, send(phoneShop+"/orders", ofShop, "quantity", "1"), http.StatusConflict)
	wantStatus(t, send(phoneShop+"/orders", ofAccount, "quantity", "1"), http.StatusConflict)
	if after := s.rows("page_views", "kept_forms"); after != before {
		t.Errorf("something was written:\n%s\n%s", before, after)
	}
	wantPage(t, victim.get(phoneShop), http.StatusOK)
	wantPage(t, victim.get(account+"/company"), http.StatusOK)
}

func TestAKeptFormOfBindingDoesNothingWhenItIsOpened(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	signIn := func() {
		wantTo(t, b.post(account+"/login/account", "login", "nophone", "password", onboarding.DemoPassword), "/bind")
	}
	signIn()
	token := formOf(t, wantPage(t, b.get(account+"/bind"), http.StatusOK), "/bind").Get("token")
	for _, field := range []string{"remind=0", "action=skip", "action=new_password"} {
		delete(b.jar["account.portico.test"], "portico_session")
		name, value, _ := strings.Cut(field, "=")
		answer := b.post(account+"/bind", "token", token, "phone", "13711112222", "code", "", name, value)
		to, err := url.Parse(answer.Header.Get("Location"))
		if err != nil || to.Query().Get("return") == "" {
			t.Fatal(to, err)
		}
		signIn()
		wantPage(t, b.get(account+to.Query().Get("return")), http.StatusOK, `value="13711112222"`)
	}
	signIn()
}
