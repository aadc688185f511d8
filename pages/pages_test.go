package pages_test

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"portico/locale"
	"portico/pages/pagestest"
	"portico/portal/onboarding"
	"portico/store/storetest"
)

func TestSignInPageOfANewVisitorIsCached(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	first := b.Get("http://store1001.portico.test/login", "Accept-Encoding", "br")
	pagestest.WantStatus(t, first, http.StatusOK)
	body, err := io.ReadAll(brotli.NewReader(first.Body))
	if err != nil || !strings.Contains(string(body), "金穗粮油") {
		t.Fatalf("%v %s", err, body)
	}
	if strings.Contains(string(body), `name="token"`) {
		t.Error("the cached page contains the token of a visitor")
	}
	if cache := first.Header.Get("Cache-Control"); !strings.Contains(cache, "private") {
		t.Errorf("Cache-Control: %s", cache)
	}
	again := b.Get("http://store1001.portico.test/login", "If-None-Match", first.Header.Get("Etag"))
	pagestest.WantStatus(t, again, http.StatusNotModified)
	if again.Header.Get("Etag") != first.Header.Get("Etag") {
		t.Error("the 304 names another page: having the sheet's cookie made the first form stale")
	}
	linked := pagestest.Text(t, b.Get("http://store1001.portico.test/login"))
	if !strings.Contains(linked, `rel="stylesheet"`) {
		t.Error("a visitor who was given the sheet gets it in the page again")
	}
}

func TestCachedPageIsNotServedForAnotherCompanyOrLanguage(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for _, c := range []struct{ host, lang, title string }{
		{"store1001", "zh", "登录 - 金穗粮油"}, {"store1002", "es", "Iniciar sesión - Mariscos del Sur"},
		{"store1003", "en", "Sign in - Northwind Lighting"}, {"store1002", "en", "Sign in - Mariscos del Sur"},
		{"account", "es", "Iniciar sesión - Portico"},
	} {
		body := pagestest.Text(t, s.Browser().Get("http://"+c.host+".portico.test/login?lang="+c.lang))
		if !strings.Contains(body, "<title>"+c.title+"</title>") ||
			!strings.Contains(body, `<html lang="`+locale.Lang(c.lang).Tag()+`">`) {
			t.Errorf("%+v: %s", c, regexp.MustCompile("<title>.*</title>").FindString(body))
		}
	}
	b := s.Browser()
	if body := pagestest.Text(t, b.Get("http://store1002.portico.test/login")); !strings.Contains(body, `lang="es"`) {
		t.Error("the company's own language is not the default")
	}
}

func TestSignInPagesHaveTheirTitles(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	for path, title := range map[string]string{"/": "登录 - 金穗粮油", "/login": "登录 - 金穗粮油", "/login/account": "登录 - 金穗粮油",
		"/agreement": "金穗粮油", "/jumperror": "金穗粮油"} {
		if body := pagestest.Text(t, b.Get("http://store1001.portico.test"+path)); !strings.Contains(body,
			"<title>"+title+"</title>") {
			t.Errorf("%s: %s", path, regexp.MustCompile("<title>.*</title>").FindString(body))
		}
	}
}

func TestRefusedSignInKeepsWhatWasTypedExceptThePassword(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	r := b.Post("http://account.portico.test/login", "phone", "138 0013", "password", "canary-pass1", "remember", "1")
	pagestest.WantStatus(t, r, http.StatusUnprocessableEntity)
	body := pagestest.Text(t, r)
	for _, want := range []string{`value="138 0013"`, "checked", `aria-invalid="true"`, `aria-describedby="phone-msg"`,
		`id="phone-msg"`, `href="#phone"`, "手机号应为 11 位"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(body, "canary-pass1") {
		t.Error("the password came back")
	}
}

func TestLanguageSwitchKeepsWhatWasTyped(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	r := b.Post("http://account.portico.test/login", "phone", "138 0000 1", "password", "typed", "lang", "es")
	pagestest.WantStatus(t, r, http.StatusOK)
	body := pagestest.Text(t, r)
	if !strings.Contains(body, `value="138 0000 1"`) || !strings.Contains(body, `<html lang="es-419"`) ||
		strings.Contains(body, `role="alert"`) {
		t.Error(body)
	}
	if next := pagestest.Text(t, b.Get("http://account.portico.test/login/account")); !strings.Contains(next,
		`<html lang="es-419">`) {
		t.Error("the language was forgotten")
	}
}

func TestAddressAfterLandingHasNoAuthCode(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	phoneAgent := "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148"
	for _, c := range []struct{ from, phone, agent, want string }{
		{"account", "13800000001", pagestest.DesktopAgent, "http://store1001.portico.test/home"},
		{"account", "13800000001", phoneAgent, "http://m.portico.test/shop"},
		{"astore1001", "13800000001", phoneAgent, "http://am.portico.test/shop"},
		{"bstore1001", "13800000001", pagestest.DesktopAgent, "http://store1001.portico.test/home"},
		{"account", "13800000002", pagestest.DesktopAgent, "http://store1001.portico.test/mgr"},
		{"account", "13800000002", phoneAgent, "http://mgr.portico.test/home"},
		{"account", "13800000002", pagestest.DesktopAgent + " wxwork/4.1", "http://mgr.portico.test/home"},
	} {
		b := s.Browser()
		b.Agent = c.agent
		r := b.SignIn(c.from+".portico.test", c.phone)
		pagestest.WantStatus(t, r, http.StatusSeeOther)
		if !strings.Contains(r.Header.Get("Location"), "auth_code_=") ||
			!strings.HasPrefix(r.Header.Get("Location"), c.want) {
			t.Errorf("%+v: %s", c, r.Header.Get("Location"))
		}
		landed, at := b.Follow(r, "http://"+c.from+".portico.test/login")
		pagestest.WantStatus(t, landed, http.StatusOK)
		if at != c.want || !strings.Contains(pagestest.Text(t, landed), "金穗粮油") {
			t.Errorf("%+v landed at %s", c, at)
		}
	}
}

func TestSignInLeadsToTheSiteForTheDevice(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for _, c := range []struct {
		agent, width string
		header       [2]string
		mobile       bool
	}{
		{agent: pagestest.DesktopAgent, width: "749", mobile: true},
		{agent: pagestest.DesktopAgent, width: "750"},
		{agent: pagestest.DesktopAgent},
		{agent: pagestest.DesktopAgent, width: "-5"},
		{agent: pagestest.DesktopAgent, width: "999999"},
		{agent: pagestest.DesktopAgent, header: [2]string{"Sec-CH-Viewport-Width", "600"}, mobile: true},
		{agent: pagestest.DesktopAgent, width: "1280", header: [2]string{"Sec-CH-Viewport-Width", "600"}},
		{agent: pagestest.DesktopAgent, width: "844", header: [2]string{"Sec-CH-UA-Mobile", "?1"}, mobile: true},
		{agent: pagestest.DesktopAgent + " wxwork/4.1", width: "1280", mobile: true},
		{agent: pagestest.PhoneAgent, mobile: true},
		{agent: pagestest.PhoneAgent, width: "360", mobile: true},
		{agent: pagestest.PhoneAgent, width: "844", mobile: true}, // held sideways
		{agent: pagestest.PhoneAgent, width: "844", header: [2]string{"Sec-CH-UA-Mobile", "?0"}, mobile: true},
	} {
		for phone, hosts := range map[string][2]string{ // for a mobile device and for a desktop
			"13800000001": {"m.portico.test/shop", "store1001.portico.test/home"},
			"13800000002": {"mgr.portico.test/home", "store1001.portico.test/mgr"},
		} {
			fields := url.Values{"phone": {phone}, "password": {onboarding.DemoPassword}, "width": {c.width}}
			r := s.BrowserWithAgent(c.agent).Do(http.MethodPost, pagestest.AccountSite+"/login", fields, c.header[:]...)
			want := hosts[1]
			if c.mobile {
				want = hosts[0]
			}
			if at, _ := url.Parse(r.Header.Get("Location")); at.Host+at.Path != want {
				t.Errorf("%s with %+v: %s%s", phone, c, at.Host, at.Path)
			}
		}
	}
}

func TestPhoneHeldSidewaysStaysOnTheMobileSites(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.BrowserWithAgent(pagestest.PhoneAgent)
	b.Post(pagestest.AccountSite+"/login", "phone", "13800000003", "password", onboarding.DemoPassword, "width", "844")
	for company, want := range map[string]string{"1002": "mgr.portico.test", "1003": "m.portico.test"} {
		r := b.Post(pagestest.AccountSite+"/company", "company_id", company, "width", "844") // chooses an account
		if at, _ := url.Parse(r.Header.Get("Location")); at.Host != want {
			t.Errorf("company %s: %s", company, r.Header.Get("Location"))
		}
	}
}

func TestPageOfABlockedAccountNamesAContact(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for phone, want := range map[string]string{
		"13800000004": "审核", "13800000005": "停用", "13800000006": "合作", "13800000007": "停用", "13800000008": "试用",
		"13800000009": "到期", "13800000010": "商城",
	} {
		r := s.Browser().SignIn("account.portico.test", phone)
		pagestest.WantStatus(t, r, http.StatusUnprocessableEntity)
		if body := pagestest.Text(t, r); !strings.Contains(body, want) || !strings.Contains(body, `href="tel:`) ||
			!strings.Contains(body, `class="front mark-owner"`) {
			t.Errorf("%s: no %s or nobody to call", phone, want)
		}
	}
	r := s.Browser().SignIn("account.portico.test", "13800000011")
	pagestest.WantStatus(t, r, http.StatusUnprocessableEntity)
	if body := pagestest.Text(t, r); !strings.Contains(body, "tel:4000000000") ||
		!strings.Contains(body, `value="13800000011"`) {
		t.Error("a phone without accounts: the page has no contact or no form")
	}
}

func TestPersonChoosesACompanyAndADefaultCompany(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	r := b.SignIn("account.portico.test", "13800000003")
	if r.Header.Get("Location") != "/company" {
		t.Fatal(r.Header.Get("Location"))
	}
	page := pagestest.Text(t, b.Get("http://account.portico.test/company"))
	for _, name := range []string{"金穗粮油", "Mariscos del Sur", "Northwind Lighting"} {
		if !strings.Contains(page, name) {
			t.Errorf("no %s", name)
		}
	}
	if to := b.Post("http://account.portico.test/company", "company_id",
		"1001").Header.Get("Location"); to != "/enter" {
		t.Errorf("both sides in one company: %s", to)
	}
	if to := b.Post("http://account.portico.test/enter", "side", "shop").Header.Get("Location"); !strings.HasPrefix(to,
		"http://store1001.portico.test/home?companyId=1001&auth_code_=") {
		t.Errorf("the shop side: %s", to)
	}
	if to := b.Post("http://account.portico.test/company", "company_id", "1002", "default",
		"1").Header.Get("Location"); !strings.HasPrefix(to, "http://store1002.portico.test/mgr?auth_code_=") {
		t.Errorf("one login in the company: %s", to)
	}
	if to := b.SignIn("account.portico.test", "13800000003").Header.Get("Location"); !strings.HasPrefix(to,
		"http://store1002.portico.test/mgr?") {
		t.Errorf("the sign-in does not lead to the default company: %s", to)
	}
	pagestest.WantStatus(t, b.Post("http://account.portico.test/company", "company_id", "1008"), http.StatusNotFound)
	pagestest.WantStatus(t, b.Post("http://account.portico.test/accounts", "account_id", "3001", "action", "enter"),
		http.StatusNotFound)
	pagestest.WantStatus(t, b.Post("http://account.portico.test/company"), http.StatusUnprocessableEntity)
}

func TestRemovedAccountIsHiddenUntilTheNextSignIn(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.SignIn("account.portico.test", "13800000003")
	page := pagestest.Text(t, b.Get("http://account.portico.test/accounts?all=1"))
	id := regexp.MustCompile(`name="account_id" value="(\d+)"`).FindStringSubmatch(page)[1]
	r := b.Post("http://account.portico.test/accounts", "account_id", id, "action", "remove")
	pagestest.WantStatus(t, r, http.StatusSeeOther)
	if strings.Contains(pagestest.Text(t, b.Get("http://account.portico.test/accounts?all=1")), `value="`+id+`"`) {
		t.Error("the removed account is still listed")
	}
	b.SignIn("account.portico.test", "13800000003")
	if !strings.Contains(pagestest.Text(t, b.Get("http://account.portico.test/accounts?all=1")), `value="`+id+`"`) {
		t.Error("it did not come back with the next sign-in")
	}
}

func TestSecondUseOfAnAuthCodeEndsTheSessionOfTheFirst(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	code := b.SignIn("account.portico.test", "13800000001").Header.Get("Location")
	landed, _ := b.Follow(b.Get(code), code)
	pagestest.WantStatus(t, landed, http.StatusOK)
	thief := b.Site.Browser()
	if to := thief.Get(code).Header.Get("Location"); to != "/jumperror" {
		t.Fatalf("a used code: %s", to)
	}
	if r := b.Get("http://store1001.portico.test/home"); r.StatusCode != http.StatusSeeOther {
		t.Errorf("the first session goes on: %d", r.StatusCode)
	}
}

func TestLinkOfAnotherAccountIsConfirmedBeforeItReplacesASession(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	victim, attacker := s.Browser(), s.Browser()
	victim.Follow(victim.SignIn("account.portico.test", "13800000001"), "http://account.portico.test/login")
	attacker.Post("http://account.portico.test/login/account", "login", "nophone", "password", onboarding.DemoPassword)
	link := attacker.Post("http://account.portico.test/bind", "action", "skip").Header.Get("Location")
	page, at := victim.Follow(victim.Get(link), link)
	body := pagestest.Text(t, page)
	if at != "http://store1001.portico.test/home?asked=1" || !strings.Contains(body, "buyer1") ||
		!strings.Contains(body, "nophone") {
		t.Fatalf("%s\n%s", at, body)
	}
	victim.Post("http://store1001.portico.test/home", "action", "keep")
	if body := pagestest.Text(t, victim.Get("http://store1001.portico.test/home")); !strings.Contains(body, "buyer1") {
		t.Error("the account was replaced after a no")
	}
}

func TestSigningOutOnALandingHostSignsOutEverywhere(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.Follow(b.SignIn("account.portico.test", "13800000001"), "http://account.portico.test/login")
	kept := b.Jar["store1001.portico.test"]["portico_session"].Value
	r := b.Post("http://store1001.portico.test/logout")
	pagestest.WantStatus(t, r, http.StatusSeeOther)
	if r.Header.Get("Clear-Site-Data") == "" ||
		r.Header.Get("Location") != "http://account.portico.test/login?done=signed_out" {
		t.Errorf("%v", r.Header)
	}
	if r := b.Get("http://account.portico.test/company"); r.StatusCode != http.StatusSeeOther {
		t.Error("the account site is still signed in")
	}
	b.Jar["store1001.portico.test"]["portico_session"] = &http.Cookie{Name: "portico_session", Value: kept}
	if r := b.Get("http://store1001.portico.test/home"); r.StatusCode != http.StatusSeeOther {
		t.Error("the old cookie still opens")
	}
}

func TestSessionIsValidOnOneHostForOneCompany(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.SignIn("store1001.portico.test", "13800000003")
	cookie := b.Jar["store1001.portico.test"]
	pagestest.WantStatus(t, b.Get("http://store1001.portico.test/company?all=1"), http.StatusOK)
	for _, host := range []string{"store1002.portico.test", "account.portico.test", "jinsui.test",
		"astore1001.portico.test"} {
		b.Jar[host] = cookie
		if r := b.Get("http://" + host + "/company?all=1"); r.StatusCode != http.StatusSeeOther {
			t.Errorf("the session of store1001 opens %s: %d", host, r.StatusCode)
		}
	}
}

func TestFormsFromOtherSitesAreRefused(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	form := url.Values{"phone": {"13800000001"}, "password": {onboarding.DemoPassword}}
	for name, headers := range map[string][]string{
		"cross-site": {"Sec-Fetch-Site", "cross-site"}, "sibling host": {"Sec-Fetch-Site", "same-site"},
		"foreign origin": {"Sec-Fetch-Site", "", "Origin", "https://evil.test"},
		"null origin":    {"Sec-Fetch-Site", "", "Origin", "null"},
		"sibling origin": {"Sec-Fetch-Site", "", "Origin", "http://m.portico.test"},
	} {
		r := s.Browser().Do(http.MethodPost, "http://account.portico.test/login", form, headers...)
		if r.StatusCode != http.StatusForbidden || len(r.Cookies()) > 1 {
			t.Errorf("%s: %d %v", name, r.StatusCode, r.Cookies())
		}
	}
	old := s.Browser()
	old.OldWebView = true
	pagestest.WantStatus(t, old.SignIn("account.portico.test", "13800000003"), http.StatusSeeOther)
	pagestest.WantStatus(t, old.Post("http://account.portico.test/company", "company_id", "1001"), http.StatusForbidden)
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(pagestest.Text(t,
		old.Get("http://account.portico.test/company")))[1]
	pagestest.WantStatus(t, old.Post("http://account.portico.test/company", "company_id", "1001", "token", token),
		http.StatusSeeOther)
}

func TestGetAndHeadChangeNothing(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.SignIn("account.portico.test", "13800000003")
	before := b.RowCounts()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for _, path := range []string{"/", "/login", "/login/account", "/company", "/company?all=1", "/accounts",
			"/enter", "/agreement", "/jumperror", "/logout", "/login?lang=es&u=1&c=2&companyId=1001", "/nothing",
			"/readyz"} {
			b.Do(method, "http://account.portico.test"+path, nil)
		}
	}
	if after := b.RowCounts(); after != before {
		t.Errorf("rows before %s, after %s", before, after)
	}
}

func TestQueryParametersNeitherChangeRedirectsNorAppearOnPages(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	tricks := []string{"//evil.test", `/\evil.test`, "https:evil.test", "https://account.portico.test@evil.test",
		"%2f%2fevil.test", "..;/", "javascript:alert(1)", "<script>alert(1)</script>", "call 13712345678"}
	for _, trick := range tricks {
		for _, name := range []string{"next", "redirect", "returnUrl", "state", "c", "u", "companyId", "msg", "done",
			"q"} {
			for _, path := range []string{"/login", "/jumperror", "/agreement"} {
				r := b.Get("http://account.portico.test" + path + "?" + url.Values{name: {trick}}.Encode())
				body := pagestest.Text(t, r)
				if r.Header.Get("Location") != "" || strings.Contains(body, "evil.test") ||
					strings.Contains(body, "alert(1)") || strings.Contains(body, "13712345678") {
					t.Errorf("%s?%s=%s: %s", path, name, trick, r.Header.Get("Location"))
				}
			}
		}
	}
	r := b.Do(http.MethodPost, "http://account.portico.test/login?next=//evil.test",
		url.Values{"phone": {"13800000001"}, "password": {onboarding.DemoPassword}, "redirect": {"//evil.test"}})
	if strings.Contains(r.Header.Get("Location"), "evil.test") {
		t.Error(r.Header.Get("Location"))
	}
}

func TestSharingIdsThatAreNotIntegersAreDropped(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for query, want := range map[string]string{
		"u=5&c=7": "5.7", "u=5": "5.0", "u=1e9&c=7": "0.7", "u=-1": "", "u=<b>": "", "u=99999999999999999999": "",
		"u=9223372036854775807": "9223372036854775807.0", "u=0": "", "u[]=5": "",
	} {
		b := s.Browser()
		b.Get("http://account.portico.test/login?" + strings.ReplaceAll(query, "<", "%3C"))
		got := ""
		if c := b.Jar["account.portico.test"]["portico_share"]; c != nil {
			got = c.Value
		}
		if got != want {
			t.Errorf("%s: kept %q, want %q", query, got, want)
		}
	}
}

func TestMalformedRequestsGetAClientError(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	for name, c := range map[string]struct {
		r    *http.Response
		want int
	}{
		"not a form": {b.Do(http.MethodPost, "http://account.portico.test/login", nil, "Content-Type",
			"text/plain"), http.StatusUnsupportedMediaType},
		"json": {b.Do(http.MethodPost, "http://account.portico.test/login", nil, "Content-Type",
			"application/json"), http.StatusUnsupportedMediaType},
		"too large": {b.Post("http://account.portico.test/login", "phone", strings.Repeat("1", 100_000)),
			http.StatusRequestEntityTooLarge},
		"unknown path":      {b.Get("http://account.portico.test/login/x.css"), http.StatusNotFound},
		"path with a dot":   {b.Get("http://account.portico.test/login;.css"), http.StatusNotFound},
		"trailing slash":    {b.Get("http://account.portico.test/login/"), http.StatusNotFound},
		"landing elsewhere": {b.Get("http://account.portico.test/mgr"), http.StatusNotFound},
		"account route":     {b.Get("http://m.portico.test/company"), http.StatusNotFound},
		"wrong method": {b.Do(http.MethodPut, "http://account.portico.test/login", nil),
			http.StatusMethodNotAllowed},
		"trace": {b.Do(http.MethodTrace, "http://account.portico.test/login", nil),
			http.StatusMethodNotAllowed},
		"get logout": {b.Get("http://account.portico.test/logout"), http.StatusMethodNotAllowed},
		"huge password": {b.Post("http://account.portico.test/login", "phone", "13800000001", "password",
			strings.Repeat("x", 5000)), http.StatusUnprocessableEntity},
		"nul": {b.Post("http://account.portico.test/login/account", "login", "a\x00b", "password", "x"),
			http.StatusUnprocessableEntity},
		"control": {b.Post("http://account.portico.test/login/account", "login", "a\u0007b", "password", "x"),
			http.StatusUnprocessableEntity},
		"not utf-8": {b.Post("http://account.portico.test/login/account", "login", "a\xffb", "password", "x"),
			http.StatusUnprocessableEntity},
		"forged code": {b.Get("http://store1001.portico.test/home?auth_code_=AAAA"), http.StatusSeeOther},
		"4,000 cookies": {b.Get("http://account.portico.test/company", "Cookie", strings.Repeat("a=b; ", 4000)),
			http.StatusSeeOther},
	} {
		if c.r.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, c.r.StatusCode, c.want)
		}
	}
	if strings.Contains(s.Log.String(), `"level":"ERROR"`) {
		t.Errorf("a client error was logged as a server error:\n%s", s.Log.String())
	}
}

func TestTwoSessionCookiesAreIgnored(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.SignIn("account.portico.test", "13800000003")
	good := b.Jar["account.portico.test"]["portico_session"].Value
	if r := b.Get("http://account.portico.test/company", "Cookie",
		"portico_session=planted; portico_session="+good); r.StatusCode != http.StatusSeeOther {
		t.Errorf("two cookies of one name: %d", r.StatusCode)
	}
}

func TestSessionCookieIsNewAtEachSignInAndHasItsAttributes(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	b := s.Browser()
	r := b.Post("https://account.portico.test/login", "phone", "13800000003", "password", onboarding.DemoPassword,
		"remember", "1")
	pagestest.WantStatus(t, r, http.StatusSeeOther)
	c := b.Jar["account.portico.test"]["__Host-portico_session"]
	if c == nil || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" ||
		c.MaxAge != 30*24*3600 || len(c.Value) < 43 {
		t.Fatalf("%+v", c)
	}
	old := c.Value
	b.Post("https://account.portico.test/login", "phone", "13800000003", "password", onboarding.DemoPassword)
	if now := b.Jar["account.portico.test"]["__Host-portico_session"]; now.Value == old || now.MaxAge != 0 {
		t.Errorf("%+v", now)
	}
	if r := b.Get("https://account.portico.test/company", "Cookie",
		"__Host-portico_session="+old); r.StatusCode != http.StatusSeeOther {
		t.Error("the old id still opens")
	}
}

func TestEndedSessionClearsTheBrowser(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	for _, done := range []string{"session_ended", "signed_out"} {
		pagestest.WantPage(t, b.Get("http://account.portico.test/login?done="+done), http.StatusOK, "data-mirror-clear")
	}
	if strings.Contains(pagestest.Text(t, b.Get("http://account.portico.test/login?done=reset")), "data-mirror-clear") {
		t.Error("a new password empties it")
	}
}

func TestRememberedLoginIsFilledInOnlyInItsBrowser(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.Post("http://account.portico.test/login", "phone", "138 0000 0003", "password", onboarding.DemoPassword,
		"remember", "1")
	b.Post("http://account.portico.test/logout")
	if c := b.Jar["account.portico.test"]["portico_login"]; c == nil || strings.Contains(c.Value, "1380000") {
		t.Errorf("%+v", c)
	}
	if body := pagestest.Text(t, b.Get("http://account.portico.test/login")); !strings.Contains(body,
		`value="138 0000 0003"`) || strings.Contains(body, onboarding.DemoPassword) {
		t.Error("the phone is not filled in, or the password is")
	}
}

func TestSignInPageOffersASignedInPersonToContinue(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.SignIn("account.portico.test", "13800000001")
	if body := pagestest.Text(t, b.Get("http://account.portico.test/")); !strings.Contains(body, "138****0001") {
		t.Error("no way on")
	}
	if to := b.Post("http://account.portico.test/company", "action",
		"continue").Header.Get("Location"); !strings.HasPrefix(to, "http://store1001.portico.test/home?") {
		t.Error(to)
	}
}

func TestCompanyComesOnlyFromTheHostInProduction(t *testing.T) {
	for production, want := range map[bool]string{true: "Portico", false: "Mariscos del Sur"} {
		b := pagestest.NewSite(t, pagestest.Options{Production: production}).Browser()
		if body := pagestest.Text(t, b.Get("http://localhost/login?companyId=1002&lang=en")); !strings.Contains(body,
			"<title>Sign in - "+want+"</title>") {
			t.Errorf("production %t: %s", production, regexp.MustCompile("<title>.*</title>").FindString(body))
		}
	}
}

func TestCompanyTextsAreEscaped(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	nasty := `<img src=x onerror=alert(1)>"'</title>`
	if err := s.Portal.Operator.SetCompany(t.Context(), 1001, "name", nasty); err != nil {
		t.Fatal(err)
	}
	s.Clock = s.Clock.Add(2 * time.Second) // until the cached company expires
	b := s.Browser()
	for _, page := range []string{pagestest.Text(t, b.Get("http://store1001.portico.test/login")),
		pagestest.Text(t, b.Get("http://store1001.portico.test/nothing"))} {
		if strings.Contains(page, "<img src=x") || !strings.Contains(page, "&lt;img") {
			t.Error("a company's name is markup")
		}
	}
	landed, _ := b.Follow(b.SignIn("store1001.portico.test", "13800000001"), "http://store1001.portico.test/login")
	if strings.Contains(pagestest.Text(t, landed), "<img src=x") {
		t.Error("a company's name is markup on the landing page")
	}
}

func TestLogAndDatabaseContainNoSecret(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b := s.Browser()
	b.Post("http://account.portico.test/login", "phone", "13800000003", "password", "Canary99wrong")
	b.Post("http://account.portico.test/login/account", "login", "Canary99wrong2", "password", "x")
	location := b.SignIn("account.portico.test", "13800000001").Header.Get("Location")
	b.Follow(b.Get(location), location)
	code := location[strings.LastIndex(location, "=")+1:]
	dump, err := storetest.Dump(t.Context(), s.DB)
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{"Canary99wrong", onboarding.DemoPassword, code}
	for _, jar := range b.Jar {
		for name, c := range jar {
			if name == "portico_session" || name == "portico_login" {
				secrets = append(secrets, c.Value)
			}
		}
	}
	for _, secret := range secrets {
		if strings.Contains(s.Log.String(), secret) || strings.Contains(dump, secret) {
			t.Errorf("found %.12s… in the log or the database", secret)
		}
	}
	if strings.Contains(s.Log.String(), "13800000001") || !strings.Contains(s.Log.String(), "sign_in") {
		t.Errorf("the log holds a phone, or no sign-in:\n%s", s.Log.String())
	}
}
