package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
)

// An attacker can put a token of their own into a form on another site, and old WebViews send no header with the origin
// of a form.
func TestOldWebViewFormWithAnotherPersonsTokenIsRefused(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	attacker := s.SignInOnPhone("13800000001", "buyer1")
	ofShop := pagestest.FormFields(t, pagestest.WantPage(t, attacker.Get(pagestest.ShopOnPhone), http.StatusOK),
		"/shop/products").Get("token")
	ofAccount := pagestest.FormFields(t, pagestest.WantPage(t, attacker.Get(pagestest.AccountSite+"/accounts?all=1"),
		http.StatusOK), "/logout").Get("token")

	victim := s.SignInOnPhone("13800000003", "li.shop")
	victim.OldWebView = true
	before := s.RowCounts("page_views", "kept_forms")
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
		pagestest.WantStatus(t, send(pagestest.AccountSite+path, ofShop, field...), http.StatusForbidden)
	}
	pagestest.WantStatus(t, send("http://m.portico.test/logout", ofAccount), http.StatusForbidden)
	pagestest.WantStatus(t, send(pagestest.AccountSite+"/company", ofAccount, "company_id", "1002", "default", "1"),
		http.StatusConflict)
	pagestest.WantStatus(t, send(pagestest.ShopOnPhone+"/orders", ofShop, "quantity", "1"), http.StatusConflict)
	pagestest.WantStatus(t, send(pagestest.ShopOnPhone+"/orders", ofAccount, "quantity", "1"), http.StatusConflict)
	if after := s.RowCounts("page_views", "kept_forms"); after != before {
		t.Errorf("something was written:\n%s\n%s", before, after)
	}
	pagestest.WantPage(t, victim.Get(pagestest.ShopOnPhone), http.StatusOK)
	pagestest.WantPage(t, victim.Get(pagestest.AccountSite+"/company"), http.StatusOK)
}

func TestOpeningAKeptBindFormSendsNothing(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	signIn := func() {
		pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password",
			onboarding.DemoPassword), "/bind")
	}
	signIn()
	token := pagestest.FormFields(t, pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/bind"), http.StatusOK),
		"/bind").Get("token")
	for _, field := range []string{"remind=0", "action=skip", "action=new_password"} {
		delete(b.Jar["account.portico.test"], "portico_session")
		name, value, _ := strings.Cut(field, "=")
		answer := b.Post(pagestest.AccountSite+"/bind", "token", token, "phone", "13711112222", "code", "", name, value)
		to, err := url.Parse(answer.Header.Get("Location"))
		if err != nil || to.Query().Get("return") == "" {
			t.Fatal(to, err)
		}
		signIn()
		pagestest.WantPage(t, b.Get(pagestest.AccountSite+to.Query().Get("return")), http.StatusOK,
			`value="13711112222"`)
	}
	signIn()
}
