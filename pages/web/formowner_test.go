package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
)

// A person can get a token of their own and put it into a form on another site. Old WebViews do not say where a form
// comes from.
func TestAnOldWebViewsFormWithTheTokenOfAnotherPersonIsRefused(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	attacker := s.OnPhone("13800000001", "buyer1")
	ofShop := pagestest.FormOf(t, pagestest.WantPage(t, attacker.Get(pagestest.PhoneShop), http.StatusOK),
		"/shop/orders").Get("token")
	ofAccount := pagestest.FormOf(t, pagestest.WantPage(t, attacker.Get(pagestest.Account+"/accounts?all=1"),
		http.StatusOK), "/logout").Get("token")

	victim := s.OnPhone("13800000003", "li.shop")
	victim.Bare = true
	before := s.Rows("page_views", "kept_forms")
	send := func(address, token string, fields ...string) *http.Response {
		form := url.Values{"token": {token}}
		for i := 0; i < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		return victim.SendForm(address, form)
	}
	for path, field := range map[string][]string{
		"/company": {"company_id", "1002", "default", "1"}, "/logout": nil,
		"/enter": {"side", "mgr"}, "/bind": {"remind", "0"},
	} {
		pagestest.WantStatus(t, send(pagestest.Account+path, ofShop, field...), http.StatusForbidden)
	}
	pagestest.WantStatus(t, send("http://m.portico.test/logout", ofAccount), http.StatusForbidden)
	pagestest.WantStatus(t, send(pagestest.Account+"/company", ofAccount, "company_id", "1002", "default", "1"),
		http.StatusConflict)
	pagestest.WantStatus(t, send(pagestest.PhoneShop+"/orders", ofShop, "quantity", "1"), http.StatusConflict)
	pagestest.WantStatus(t, send(pagestest.PhoneShop+"/orders", ofAccount, "quantity", "1"), http.StatusConflict)
	if after := s.Rows("page_views", "kept_forms"); after != before {
		t.Errorf("something was written:\n%s\n%s", before, after)
	}
	pagestest.WantPage(t, victim.Get(pagestest.PhoneShop), http.StatusOK)
	pagestest.WantPage(t, victim.Get(pagestest.Account+"/company"), http.StatusOK)
}

func TestAKeptFormOfBindingDoesNothingWhenItIsOpened(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	signIn := func() {
		pagestest.WantTo(t, b.Post(pagestest.Account+"/login/account", "login", "nophone", "password",
			onboarding.DemoPassword), "/bind")
	}
	signIn()
	token := pagestest.FormOf(t, pagestest.WantPage(t, b.Get(pagestest.Account+"/bind"), http.StatusOK),
		"/bind").Get("token")
	for _, field := range []string{"remind=0", "action=skip", "action=new_password"} {
		delete(b.Jar["account.portico.test"], "portico_session")
		name, value, _ := strings.Cut(field, "=")
		answer := b.Post(pagestest.Account+"/bind", "token", token, "phone", "13711112222", "code", "", name, value)
		to, err := url.Parse(answer.Header.Get("Location"))
		if err != nil || to.Query().Get("return") == "" {
			t.Fatal(to, err)
		}
		signIn()
		pagestest.WantPage(t, b.Get(pagestest.Account+to.Query().Get("return")), http.StatusOK, `value="13711112222"`)
	}
	signIn()
}
