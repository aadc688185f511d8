package pages_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
	"portico/store/storetest"
)

const (
	PlatformHost = "http://store1001.portico.test" // the company's host of the platform
)

// CredentialForms are the paths of the forms for a password, a code or a phone number.
var CredentialForms = []string{
	"/login/account", "/login/code", "/register", "/register/more", "/register/complete", "/register/wechat",
	"/register/result",
	"/experience", "/forget", "/forget/phone", "/forget/account", "/password", "/bind", "/bind/1", "/unbind",
	"/phone",
	"/wechat/link", "/wechat/link/account", "/wechat/link/code",
}

func TestOwnDomainShowsASignInPageWithoutFields(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for _, path := range []string{"/", "/login", "/login?done=session_ended", "/login?done=signed_out"} {
		page := pagestest.WantPage(t, s.Browser().Get(pagestest.OwnHost+path), http.StatusOK,
			"<title>登录 - 金穗粮油</title>", "请前往 store1001.portico.test 登录金穗粮油",
			`<a class="button" href="http://store1001.portico.test/login">登录</a>`)
		if strings.Contains(page, "<form") || strings.Contains(page, "<input") {
			t.Errorf("%s: there is something to fill in\n%s", path, page)
		}
	}
	for lang, text := range map[string]string{
		"es": "Inicie sesión en 金穗粮油 desde store1001.portico.test",
		"en": "Sign in to 金穗粮油 at store1001.portico.test",
	} {
		pagestest.WantPage(t, s.Browser().Get(pagestest.OwnHost+"/login?lang="+lang), http.StatusOK, text,
			"/login?lang="+lang)
	}
	const query = "?return=/mgr/orders%3Fpage%3D2&u=12&c=<b>&edition=lighting&redirect=https://evil.test"
	page := pagestest.Text(t, s.Browser().Get(pagestest.OwnHost+"/login"+query))
	to, err := url.Parse(strings.ReplaceAll(pagestest.FindIn(t, page, `<a class="button" href="([^"]+)"`), "&amp;",
		"&"))
	if err != nil || to.Host != "store1001.portico.test" {
		t.Fatal(to, err)
	}
	want := url.Values{"return": {"/mgr/orders?page=2"}, "u": {"12"}, "edition": {"lighting"}}
	if to.Query().Encode() != want.Encode() {
		t.Errorf("%s, want %s", to.Query(), want)
	}
}

func TestFormsOfTheAccountSiteAreOnThePlatformHost(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	others := []string{
		"/company", "/accounts", "/enter", "/register/init", "/experience/role", "/wechat/confirm", "/regions.json",
	}
	for _, path := range slices.Concat(CredentialForms, others) {
		for _, query := range []string{"", "?return=/mgr/orders&lang=es"} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				b := s.Browser()
				pagestest.WantRedirect(t, b.Do(method, pagestest.OwnHost+path+query, nil),
					"http://store1001.portico.test"+path+query)
			}
		}
	}
	for _, callback := range []string{"/wechat/callback?code=c&state=s", "/wechatpro?code=c&state=s"} {
		pagestest.WantRedirect(t, s.Browser().Get(pagestest.OwnHost+callback), PlatformHost+callback)
	}
	for _, path := range []string{"/home", "/mgr", "/mgr/people", "/agreement", "/robots.txt"} {
		if to := s.Browser().Get(pagestest.OwnHost + path).Header.Get("Location"); strings.HasPrefix(to, "http") {
			t.Errorf("%s leads to %s", path, to)
		}
	}
}

// unreadableBody is the body of a form. It fails the test when it is read.
type unreadableBody struct{ Touched bool }

func (u *unreadableBody) Read([]byte) (int, error) {
	u.Touched = true
	return 0, io.ErrUnexpectedEOF
}

func TestOwnDomainDoesNotReadSubmittedSecrets(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	before, _ := storetest.RowCounts(t.Context(), s.DB)
	others := []string{"/", "/login", "/code", "/upload", "/native/enter", "/wechat/continue"}
	for _, path := range slices.Concat(CredentialForms, others) {
		body := new(unreadableBody)
		r := httptest.NewRequest(http.MethodPost, path, body)
		r.Host, r.URL.Host = "jinsui.test", ""
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Header.Set("User-Agent", pagestest.DesktopAgent+" PorticoApp/3.2.1 (iOS)")
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		to := w.Header().Get("Location")
		if w.Code != http.StatusSeeOther || to != PlatformHost+path && to != PlatformHost+"/login" || body.Touched {
			t.Errorf("%s: %d to %q, read: %t", path, w.Code, to, body.Touched)
		}
		if len(w.Result().Cookies()) != 0 {
			t.Errorf("%s: cookies %v", path, w.Result().Cookies())
		}
	}
	b := s.Browser()
	pagestest.WantRedirect(t, b.SignIn("jinsui.test", "13800000002"), PlatformHost+"/login")
	if after, _ := storetest.RowCounts(t.Context(), s.DB); after != before ||
		b.Jar["jinsui.test"]["portico_session"] != nil {
		t.Error("the own domain signed a person in")
	}
}

// The test follows every link on the own domain, so that it finds a form for a secret that is added later.
func TestOwnDomainNeverAsksForASecret(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	if err := s.Portal.Operator.SetCompany(t.Context(), 1001, "pc_domain", pagestest.OwnHost); err != nil {
		t.Fatal(err)
	}
	b := s.Browser()
	leaving := pagestest.Text(t, b.SignIn("store1001.portico.test", "13800000002"))
	pagestest.WantRedirect(t, b.Get(pagestest.RefreshTarget(t, leaving)), "/mgr")
	secret := regexp.MustCompile(
		`type="password"|name="(?:phone|code|login|answer)"[^>]*autocomplete="(?:tel|one-time-code|username)"`)
	seen, next := map[string]bool{}, []string{"/", "/login", "/mgr", "/agreement", "/jumperror"}
	for len(next) > 0 {
		path := next[0]
		next = next[1:]
		if seen[path] || len(seen) > 200 {
			continue
		}
		seen[path] = true
		page := pagestest.Text(t, b.Get(pagestest.OwnHost+path))
		if asks := secret.FindString(page); asks != "" {
			t.Errorf("%s asks: %s", path, asks)
		}
		for _, link := range regexp.MustCompile(`href="(/[^"#]*)"`).FindAllStringSubmatch(page, -1) {
			if path := strings.ReplaceAll(link[1], "&amp;", "&"); !strings.HasPrefix(path, "/assets/") {
				next = append(next, path)
			}
		}
	}
	for _, path := range []string{"/mgr/people", "/mgr/settings", "/mgr/orders"} {
		if !seen[path] {
			t.Errorf("%s was not looked at", path)
		}
	}
}

func TestSignInOnThePlatformHostReturnsToTheOwnDomain(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	if err := s.Portal.Operator.SetCompany(t.Context(), 1001, "pc_domain", pagestest.OwnHost); err != nil {
		t.Fatal(err)
	}
	b := s.Browser()
	r := b.Get(pagestest.OwnHost + "/mgr/orders?page=2")
	pagestest.WantStatus(t, r, http.StatusSeeOther)
	page := pagestest.Text(t, b.Get(pagestest.OwnHost+r.Header.Get("Location")))
	to := strings.ReplaceAll(pagestest.FindIn(t, page, `<a class="button" href="([^"]+)"`), "&amp;", "&")
	u, _ := url.Parse(to)
	page = pagestest.Text(t, b.Post(to, "phone", "13800000002", "password", onboarding.DemoPassword,
		"return", u.Query().Get("return")))
	back := pagestest.RefreshTarget(t, page)
	if !strings.HasPrefix(back, pagestest.OwnHost+"/mgr?auth_code_=") {
		t.Fatal(back)
	}
	landed, at := b.Follow(b.Get(back, "Sec-Fetch-Site", "cross-site", "Referer", PlatformHost+"/"), back)
	pagestest.WantStatus(t, landed, http.StatusOK)
	if at != pagestest.OwnHost+"/mgr/orders?page=2" {
		t.Errorf("at %s", at)
	}
}

func TestForeignAuthCodeOnAnOwnDomainAlwaysNeedsAConfirmation(t *testing.T) {
	for how, headers := range map[string][]string{
		"another site":           {"Sec-Fetch-Site", "cross-site", "Referer", "http://evil.test/"},
		"a neighbour's host":     {"Sec-Fetch-Site", "same-site", "Referer", "http://other.jinsui.test/"},
		"another company's":      {"Sec-Fetch-Site", "cross-site", "Referer", "http://acme.test/"},
		"a message":              {"Sec-Fetch-Site", "none"},
		"a page without Referer": {"Sec-Fetch-Site", "cross-site"},
	} {
		s := pagestest.NewSite(t, pagestest.Options{})
		if err := s.Portal.Operator.SetCompany(t.Context(), 1001, "pc_domain", pagestest.OwnHost); err != nil {
			t.Fatal(err)
		}
		page := pagestest.Text(t, s.Browser().SignIn("account.portico.test", "13800000002"))
		link := pagestest.RefreshTarget(t, page)
		if to := s.Browser().Get(link, headers...).Header.Get("Location"); to != "/mgr?asked=1" {
			t.Errorf("%s: to %s", how, to)
		}
	}
}

func TestFormerDomainShowsNoCompany(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	if err := s.Portal.Operator.SetCompany(t.Context(), 1001, "no_domain", "jinsui.test"); err != nil {
		t.Fatal(err)
	}
	if page := pagestest.Text(t, s.Browser().Get(pagestest.OwnHost+"/login")); strings.Contains(page, "金穗粮油") {
		t.Error(page)
	}
	pagestest.WantStatus(t, s.Browser().Get(pagestest.OwnHost+"/mgr"), http.StatusNotFound)
}

func TestAdministratorsSeeAMissingRecordOrALapsedDomain(t *testing.T) {
	record := map[string][]string{}
	s := pagestest.NewSite(t, pagestest.Options{LookUpTXT: func(_ context.Context, name string) ([]string, error) {
		if texts := record[name]; texts != nil {
			return texts, nil
		}
		return nil, &net.DNSError{IsNotFound: true}
	}})
	path := pagestest.Settings + "/appearance"
	b := s.SignInByPhone("13800000002")
	b.Post(path, "action", "domain_add", "domain", "shop.acme.com")
	value := pagestest.FindIn(t, pagestest.Text(t, b.Get(path)), `<code>(portico=[\w-]+)</code>`)
	record["_portico.shop.acme.com"] = []string{value}
	pagestest.WantStatus(t, b.Post(path, "action", "domain_check", "domain", "shop.acme.com"), http.StatusSeeOther)
	delete(record, "_portico.shop.acme.com")
	after := func(days int) *pagestest.Browser {
		s.Clock = s.Clock.Add(time.Duration(days) * 24 * time.Hour)
		if err := s.Portal.Branding.CheckDomains(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s.SignInByPhone("13800000002")
	}
	b = after(1)
	missing := pagestest.WantPage(t, b.Get(path), http.StatusOK, "未查到记录",
		"最近一次查到 DNS 记录是在 2026年10月1日。如果到 2026年10月4日 仍未查到", value,
		`value="domain_check shop.acme.com"`, `value="domain_desktop shop.acme.com"`)
	if strings.Contains(missing, "已失效") {
		t.Error("it lapsed on the first day")
	}
	pagestest.WantPage(t, s.Browser().Get("http://shop.acme.com/login"), http.StatusOK, "金穗粮油")

	b = after(2)
	lapsed := pagestest.WantPage(t, b.Get(path), http.StatusOK, "已失效",
		"自 2026年10月4日 起，该域名不再指向您的企业：2026年10月1日 之后", value, `value="domain_check shop.acme.com"`)
	if strings.Contains(lapsed, `value="domain_desktop shop.acme.com"`) {
		t.Error("it may be used")
	}
	pagestest.WantPage(t, b.Get("http://store1001.portico.test/mgr/audit"), http.StatusOK, "域名已失效", "shop.acme.com")
	if strings.Contains(pagestest.Text(t, s.Browser().Get("http://shop.acme.com/login")), "金穗粮油") {
		t.Error("the former domain still shows the company")
	}
	record["_portico.shop.acme.com"] = []string{value}
	pagestest.WantStatus(t, b.Post(path, "action", "domain_check", "domain", "shop.acme.com"), http.StatusSeeOther)
	pagestest.WantPage(t, b.Get(path), http.StatusOK, `value="domain_desktop shop.acme.com"`)
	pagestest.WantPage(t, s.Browser().Get("http://shop.acme.com/login"), http.StatusOK, "金穗粮油")
}
