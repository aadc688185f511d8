package web_test

import (
	"encoding/json"
	"html"
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
)

// mirroredKeys returns what a page writes to the browser's local storage. It fails the test when that is not JSON.
func mirroredKeys(t *testing.T, page string) (keys map[string]json.RawMessage) {
	t.Helper()
	mirror := html.UnescapeString(pagestest.FindIn(t, page, `data-mirror="([^"]+)"`))
	if err := json.Unmarshal([]byte(mirror), &keys); err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestPageContainsTheIdAndNameOfItsCompany(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for address, want := range map[string]string{
		"http://store1001.portico.test/login":    `{"companyId":1001,"name":"金穗粮油"}`,
		"http://bstore1002.portico.test/login":   `{"companyId":1002,"name":"Mariscos del Sur"}`,
		"http://account.portico.test/login":      `null`,
		"http://store9999.portico.test/login":    `null`,
		"http://nobody.example.com/login":        `null`,
		"http://storefront.portico.test/login":   `null`,
		"http://account.portico.test/login?u=17": `null`,
	} {
		page := pagestest.Text(t, s.Browser().Get(address))
		if got := string(mirroredKeys(t, page)["companyData"]); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestHostWithoutACompanyHasTheDefaultLook(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for _, host := range []string{"account.portico.test", "store9999.portico.test", "nobody.example.com"} {
		pagestest.WantPage(t, s.Browser().Get("http://"+host+"/login"), http.StatusOK,
			`<html lang="zh-Hans"`, "<title>登录 - Portico 订货平台</title>", ":root{--brand:#20ade5")
	}
	pagestest.WantPage(t, s.Browser().Get("http://store1002.portico.test/login"), http.StatusOK,
		`<html lang="es-419"`, "<title>Iniciar sesión - Mariscos del Sur</title>", ":root{--brand:#d9480f")
}

func TestLocalhostKeepsTheCompanyFromTheQuery(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	const theirs, none = "<title>Iniciar sesión - Mariscos del Sur</title>", "<title>登录 - Portico 订货平台</title>"
	for _, host := range []string{"localhost", "127.0.0.1", "192.168.1.20"} {
		b := s.Browser()
		pagestest.WantPage(t, b.Get("http://"+host+"/login"), http.StatusOK, none)
		pagestest.WantPage(t, b.Get("http://"+host+"/login?companyId=1002"), http.StatusOK, theirs)
		pagestest.WantPage(t, b.Get("http://"+host+"/login"), http.StatusOK, theirs)
		pagestest.WantPage(t, b.Get("http://"+host+"/login?companyId=x"), http.StatusOK, none)
		pagestest.WantPage(t, b.Get("http://"+host+"/login"), http.StatusOK, none)
	}
	pagestest.WantPage(t, s.Browser().Get("http://account.portico.test/login?companyId=1002"), http.StatusOK, none)
}

// Nobody has chosen a language on the platform's own site, so the browser's counts there. A company has chosen one.
func TestLanguageIsTheChosenOneElseTheCompanysElseTheBrowsers(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	const account, spanish = "http://account.portico.test/login", "http://store1002.portico.test/login"
	for wanted, lang := range map[string]string{
		"":                                   "zh-Hans",
		"es-MX,es;q=0.9,en;q=0.8":            "es-419",
		"en-GB":                              "en",
		"zh-TW,zh":                           "zh-Hans",
		"fr-FR, fr;q=0.9":                    "zh-Hans",
		"fr, en;q=0.5":                       "en",
		"*":                                  "zh-Hans",
		";;;":                                "zh-Hans",
		"es" + strings.Repeat(",es-MX", 100): "zh-Hans", // too long to be read
	} {
		var headers []string
		if wanted != "" {
			headers = []string{"Accept-Language", wanted}
		}
		b := s.Browser()
		pagestest.WantPage(t, b.Get(account, headers...), http.StatusOK, `<html lang="`+lang+`"`)
		pagestest.WantPage(t, b.Get(spanish, headers...), http.StatusOK, `<html lang="es-419"`)
		pagestest.WantPage(t, b.Get(account+"?lang=en", headers...), http.StatusOK, `<html lang="en"`)
		pagestest.WantPage(t, b.Get(account, headers...), http.StatusOK, `<html lang="en"`) // the choice is kept
	}
}
