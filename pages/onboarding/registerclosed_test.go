package onboarding_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/store"
)

func TestWhereTheOperatorOpensCompaniesNobodyRegistersOne(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{NoCompanies: true})
	b := s.Browser()
	const site = "http://account.portico.test"
	before, err := s.DB.Companies.Find(t.Context(), store.CompanyQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/register", "/register?add=1", "/register/wechat"} {
		pagestest.WantPage(t, b.Get(site+path), http.StatusForbidden, "本平台不开放企业自助注册", `href="/login"`)
	}
	pagestest.WantPage(t, b.Post(site+"/register", "action", "send_code", "phone", "13912345678"),
		http.StatusForbidden, "本平台不开放企业自助注册")
	pagestest.WantPage(t, b.Post(site+"/register", "phone", "13912345678", "code", "123456", "password", "Blauwal77",
		"name", "Ana", "company_name", "Sur", "agree", "1"), http.StatusForbidden)
	for _, path := range []string{"/login", "/experience"} {
		answer := b.Get(site + path)
		if page := pagestest.WantPage(t, answer, http.StatusOK); strings.Contains(page, `/register"`) {
			t.Errorf("%s links to the registration", path)
		}
	}
	pagestest.WantPage(t, b.Get(site+"/login"), http.StatusOK, `href="/experience?industry=118"`)
	// Applying to a company stays possible.
	pagestest.WantPage(t, b.Get("http://store1001.portico.test/register"), http.StatusOK, `action="/register/more"`)
	after, err := s.DB.Companies.Find(t.Context(), store.CompanyQuery{Limit: 1000})
	if err != nil || len(after) != len(before) {
		t.Errorf("%d companies became %d, %v", len(before), len(after), err)
	}
}
