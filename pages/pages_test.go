package pages_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"portico/gateway"
	"portico/locale"
	"portico/pages"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/onboarding"
	"portico/portal/passwords"
	"portico/portal/pictures"
	"portico/portal/verification"
	"portico/store"
	"portico/store/storetest"
)

const desktopAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"

// site is the demo platform behind its pages, with a clock that tests move.
type site struct {
	t     testing.TB
	db    *store.DB
	p     *portal.Portal
	doors http.Handler
	clock time.Time
	files pictures.Files
	log   bytes.Buffer

	mu       sync.Mutex
	messages []verification.Message // sent, the last one last
}

// sendSMS keeps a message, as a provider would send it.
func (s *site) sendSMS(_ context.Context, m verification.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, m)
	return nil
}

// lastCode is the last code sent to a phone, "" for none.
func (s *site) lastCode(phone string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.messages) - 1; i >= 0; i-- {
		if m := s.messages[i]; m.Phone == phone && m.Code != "" {
			return m.Code
		}
	}
	return ""
}

type options struct {
	production, strict, limits bool
	lookUpTXT                  func(context.Context, string) ([]string, error)
	providers                  chatapps.Providers
	agreements                 func(locale.Lang) []locale.AgreementText
	counters                   []string
	appVersions                map[string]string
	hash                       passwords.HashCost // zero: a cheap one
	db                         *store.DB          // nil: SQLite
}

func newSite(t testing.TB, o options) *site {
	t.Helper()
	if o.db == nil {
		o.db = storetest.SQLite(t)
	}
	s := &site{t: t, db: o.db, clock: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	base := &url.URL{Scheme: "http", Host: "portico.test"}
	if o.production {
		base.Scheme = "https"
	}
	log := slog.New(slog.NewJSONHandler(&s.log, nil))
	files, err := gateway.NewDir(filepath.Join(t.TempDir(), "uploads"))
	if err != nil {
		t.Fatal(err)
	}
	s.files = files
	s.p, err = portal.New(portal.Options{
		DB: s.db, Base: base, Secret: []byte("a-test-secret-of-thirty-two-bytes!"), Dev: !o.production, Strict: o.strict, NoLimit: !o.limits,
		Support: access.Contact{Role: access.RoleSupport, Name: "客服", Phone: "4000000000"},
		Hash:    cmp.Or(o.hash, passwords.HashCost{Memory: 64, Passes: 1, Threads: 1}), Log: log, Now: func() time.Time { return s.clock }, SendSMS: s.sendSMS, Files: files, LookUpTXT: o.lookUpTXT,
		Providers: o.providers, Counters: o.counters,
	})
	if err == nil {
		err = s.p.Onboarding.LoadDemo(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	s.doors = pages.New(pages.Options{Portal: s.p, Base: base, Production: o.production, Log: log,
		Agreements: o.agreements, AppVersions: o.appVersions})
	return s
}

// browser keeps cookies per host, as browsers do.
type browser struct {
	*site
	agent string
	jar   map[string]map[string]*http.Cookie

	lastPage string // where arrivesAt ended
	bare     bool   // an old WebView: no Sec-Fetch-Site, no Origin
}

func (s *site) browser() *browser {
	return &browser{site: s, agent: desktopAgent, jar: map[string]map[string]*http.Cookie{}}
}

// do sends one request and keeps the cookies of the answer.
func (b *browser) do(method, address string, form url.Values, headers ...string) *http.Response {
	b.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	r := httptest.NewRequest(method, u.RequestURI(), strings.NewReader(form.Encode()))
	r.Host, r.URL.Host = u.Host, ""
	r.Header.Set("User-Agent", b.agent)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if !b.bare {
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}
	}
	for _, c := range b.jar[u.Host] {
		r.AddCookie(c)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	b.doors.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(), access.Caller{RequestID: "r1", Address: "203.0.113.9", Agent: b.agent})))
	response := w.Result()
	b.keepCookies(u.Host, response)
	return response
}

func (b *browser) keepCookies(host string, response *http.Response) {
	for _, c := range response.Cookies() {
		if b.jar[host] == nil {
			b.jar[host] = map[string]*http.Cookie{}
		}
		if c.MaxAge < 0 {
			delete(b.jar[host], c.Name)
		} else {
			b.jar[host][c.Name] = c
		}
	}
}

func (b *browser) get(address string, headers ...string) *http.Response {
	return b.do(http.MethodGet, address, nil, headers...)
}

func (b *browser) post(address string, pairs ...string) *http.Response {
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return b.do(http.MethodPost, address, form)
}

func (b *browser) signIn(host, phone string) *http.Response {
	return b.post("http://"+host+"/login", "phone", phone, "password", onboarding.DemoPassword)
}

// follow goes where a redirect says until there is none.
func (b *browser) follow(r *http.Response, from string) (*http.Response, string) {
	b.t.Helper()
	at, err := url.Parse(from)
	for range 6 {
		if err != nil {
			b.t.Fatal(err)
		}
		if r.StatusCode != http.StatusSeeOther {
			return r, at.String()
		}
		at, err = at.Parse(r.Header.Get("Location"))
		r = b.get(at.String())
	}
	b.t.Fatal("redirected in a circle")
	return nil, ""
}

func text(t testing.TB, r *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func wantStatus(t testing.TB, r *http.Response, status int) {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d\n%s", r.StatusCode, status, text(t, r))
	}
}

func TestTheLoginPageOfANewVisitorIsKeptAndAskedForAgain(t *testing.T) {
	b := newSite(t, options{}).browser()
	first := b.get("http://store1001.portico.test/login", "Accept-Encoding", "br")
	wantStatus(t, first, http.StatusOK)
	body, err := io.ReadAll(brotli.NewReader(first.Body))
	if err != nil || !strings.Contains(string(body), "金穗粮油") {
		t.Fatalf("%v %s", err, body)
	}
	if strings.Contains(string(body), `name="token"`) {
		t.Error("a visitor's token stands in a page kept for all")
	}
	if cache := first.Header.Get("Cache-Control"); !strings.Contains(cache, "private") {
		t.Errorf("Cache-Control: %s", cache)
	}
	again := b.get("http://store1001.portico.test/login", "If-None-Match", first.Header.Get("Etag"))
	wantStatus(t, again, http.StatusNotModified)
	if again.Header.Get("Etag") != first.Header.Get("Etag") {
		t.Error("the 304 names another page: having the sheet's cookie made the first form stale")
	}
	linked := text(t, b.get("http://store1001.portico.test/login"))
	if !strings.Contains(linked, `rel="stylesheet"`) {
		t.Error("a visitor who was given the sheet gets it in the page again")
	}
}

func TestNoPageOfOneCompanyOrLanguageIsServedToAnother(t *testing.T) {
	s := newSite(t, options{})
	for _, c := range []struct{ host, lang, title string }{
		{"store1001", "zh", "登录 - 金穗粮油"}, {"store1002", "es", "Iniciar sesión - Mariscos del Sur"},
		{"store1003", "en", "Sign in - Northwind Lighting"}, {"store1002", "en", "Sign in - Mariscos del Sur"}, {"account", "es", "Iniciar sesión - Portico"},
	} {
		body := text(t, s.browser().get("http://"+c.host+".portico.test/login?lang="+c.lang))
		if !strings.Contains(body, "<title>"+c.title+"</title>") || !strings.Contains(body, `<html lang="`+c.lang+`">`) {
			t.Errorf("%+v: %s", c, regexp.MustCompile("<title>.*</title>").FindString(body))
		}
	}
	b := s.browser()
	if body := text(t, b.get("http://store1002.portico.test/login")); !strings.Contains(body, `lang="es"`) {
		t.Error("the company's own language is not the default")
	}
}

func TestPagesAreTitledAsTheSpecificationSays(t *testing.T) {
	b := newSite(t, options{}).browser()
	for path, title := range map[string]string{"/": "登录 - 金穗粮油", "/login": "登录 - 金穗粮油", "/login/account": "金穗粮油", "/agreement": "金穗粮油", "/jumperror": "金穗粮油"} {
		if body := text(t, b.get("http://store1001.portico.test"+path)); !strings.Contains(body, "<title>"+title+"</title>") {
			t.Errorf("%s: %s", path, regexp.MustCompile("<title>.*</title>").FindString(body))
		}
	}
}

func TestARefusedFormComesBackWholeWithoutThePassword(t *testing.T) {
	b := newSite(t, options{}).browser()
	r := b.post("http://account.portico.test/login", "phone", "138 0013", "password", "canary-pass1", "remember", "1")
	wantStatus(t, r, http.StatusUnprocessableEntity)
	body := text(t, r)
	for _, want := range []string{`value="138 0013"`, "checked", `aria-invalid="true"`, `aria-describedby="phone-msg"`, `id="phone-msg"`, `href="#phone"`, "手机号应为 11 位"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(body, "canary-pass1") {
		t.Error("the password came back")
	}
}

func TestALanguageSwitchKeepsWhatWasTyped(t *testing.T) {
	b := newSite(t, options{}).browser()
	r := b.post("http://account.portico.test/login", "phone", "138 0000 1", "password", "typed", "lang", "es")
	wantStatus(t, r, http.StatusOK)
	body := text(t, r)
	if !strings.Contains(body, `value="138 0000 1"`) || !strings.Contains(body, `lang="es"`) || strings.Contains(body, `role="alert"`) {
		t.Error(body)
	}
	if next := text(t, b.get("http://account.portico.test/login/account")); !strings.Contains(next, `<html lang="es">`) {
		t.Error("the language was forgotten")
	}
}

func TestADemoPhoneLandsWithoutItsCodeInTheAddress(t *testing.T) {
	s := newSite(t, options{})
	phoneAgent := "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148"
	for _, c := range []struct{ from, phone, agent, want string }{
		{"account", "13800000001", desktopAgent, "http://store1001.portico.test/home"},
		{"account", "13800000001", phoneAgent, "http://m.portico.test/shop"},
		{"astore1001", "13800000001", phoneAgent, "http://am.portico.test/shop"},
		{"bstore1001", "13800000001", desktopAgent, "http://store1001.portico.test/home"},
		{"account", "13800000002", desktopAgent, "http://store1001.portico.test/mgr"},
		{"account", "13800000002", phoneAgent, "http://mgr.portico.test/home"},
		{"account", "13800000002", desktopAgent + " wxwork/4.1", "http://mgr.portico.test/home"},
	} {
		b := s.browser()
		b.agent = c.agent
		r := b.signIn(c.from+".portico.test", c.phone)
		wantStatus(t, r, http.StatusSeeOther)
		if !strings.Contains(r.Header.Get("Location"), "auth_code_=") || !strings.HasPrefix(r.Header.Get("Location"), c.want) {
			t.Errorf("%+v: %s", c, r.Header.Get("Location"))
		}
		landed, at := b.follow(r, "http://"+c.from+".portico.test/login")
		wantStatus(t, landed, http.StatusOK)
		if at != c.want || !strings.Contains(text(t, landed), "金穗粮油") {
			t.Errorf("%+v landed at %s", c, at)
		}
	}
}

func TestTheReportedWidthDecidesBeforeTheAgent(t *testing.T) {
	s := newSite(t, options{})
	for width, want := range map[string]string{"749": "mgr.portico.test", "750": "store1001.portico.test", "": "store1001.portico.test", "-5": "store1001.portico.test", "999999": "store1001.portico.test"} {
		r := s.browser().post("http://account.portico.test/login", "phone", "13800000002", "password", onboarding.DemoPassword, "width", width)
		if at, _ := url.Parse(r.Header.Get("Location")); at.Host != want {
			t.Errorf("width %q: %s", width, at.Host)
		}
	}
}

func TestBlockedAccountsGetAPageThatSaysWhoCanHelp(t *testing.T) {
	s := newSite(t, options{})
	for phone, want := range map[string]string{
		"13800000004": "审核", "13800000005": "停用", "13800000006": "合作", "13800000007": "停用", "13800000008": "试用", "13800000009": "到期", "13800000010": "商城",
	} {
		r := s.browser().signIn("account.portico.test", phone)
		wantStatus(t, r, http.StatusUnprocessableEntity)
		if body := text(t, r); !strings.Contains(body, want) || !strings.Contains(body, `href="tel:`) || !strings.Contains(body, `class="drawing"`) {
			t.Errorf("%s: no %s or nobody to call", phone, want)
		}
	}
	r := s.browser().signIn("account.portico.test", "13800000011")
	wantStatus(t, r, http.StatusUnprocessableEntity)
	if body := text(t, r); !strings.Contains(body, "tel:4000000000") || !strings.Contains(body, `value="13800000011"`) {
		t.Error("a phone without accounts: no support, or the form is gone")
	}
}

func TestManyCompaniesAreChosenAndOneIsMadeTheDefault(t *testing.T) {
	b := newSite(t, options{}).browser()
	r := b.signIn("account.portico.test", "13800000003")
	if r.Header.Get("Location") != "/company" {
		t.Fatal(r.Header.Get("Location"))
	}
	page := text(t, b.get("http://account.portico.test/company"))
	for _, name := range []string{"金穗粮油", "Mariscos del Sur", "Northwind Lighting"} {
		if !strings.Contains(page, name) {
			t.Errorf("no %s", name)
		}
	}
	if to := b.post("http://account.portico.test/company", "company_id", "1001").Header.Get("Location"); to != "/enter" {
		t.Errorf("both sides in one company: %s", to)
	}
	if to := b.post("http://account.portico.test/enter", "side", "shop").Header.Get("Location"); !strings.HasPrefix(to, "http://store1001.portico.test/home?companyId=1001&auth_code_=") {
		t.Errorf("the shop side: %s", to)
	}
	if to := b.post("http://account.portico.test/company", "company_id", "1002", "default", "1").Header.Get("Location"); !strings.HasPrefix(to, "http://store1002.portico.test/mgr?auth_code_=") {
		t.Errorf("one login in the company: %s", to)
	}
	if to := b.signIn("account.portico.test", "13800000003").Header.Get("Location"); !strings.HasPrefix(to, "http://store1002.portico.test/mgr?") {
		t.Errorf("the default company is not gone to: %s", to)
	}
	wantStatus(t, b.post("http://account.portico.test/company", "company_id", "1008"), http.StatusNotFound)
	wantStatus(t, b.post("http://account.portico.test/accounts", "account_id", "3001", "action", "enter"), http.StatusNotFound)
	wantStatus(t, b.post("http://account.portico.test/company"), http.StatusUnprocessableEntity)
}

func TestARemovedAccountLeavesTheListUntilTheNextSignIn(t *testing.T) {
	b := newSite(t, options{}).browser()
	b.signIn("account.portico.test", "13800000003")
	page := text(t, b.get("http://account.portico.test/accounts?all=1"))
	id := regexp.MustCompile(`name="account_id" value="(\d+)"`).FindStringSubmatch(page)[1]
	r := b.post("http://account.portico.test/accounts", "account_id", id, "action", "remove")
	wantStatus(t, r, http.StatusSeeOther)
	if strings.Contains(text(t, b.get("http://account.portico.test/accounts?all=1")), `value="`+id+`"`) {
		t.Error("it is still there")
	}
	b.signIn("account.portico.test", "13800000003")
	if !strings.Contains(text(t, b.get("http://account.portico.test/accounts?all=1")), `value="`+id+`"`) {
		t.Error("it did not come back with the next sign-in")
	}
}

func TestTheSecondUseOfACodeEndsWhatTheFirstMade(t *testing.T) {
	b := newSite(t, options{}).browser()
	code := b.signIn("account.portico.test", "13800000001").Header.Get("Location")
	landed, _ := b.follow(b.get(code), code)
	wantStatus(t, landed, http.StatusOK)
	thief := b.site.browser()
	if to := thief.get(code).Header.Get("Location"); to != "/jumperror" {
		t.Fatalf("a used code: %s", to)
	}
	if r := b.get("http://store1001.portico.test/home"); r.StatusCode != http.StatusSeeOther {
		t.Errorf("the first session goes on: %d", r.StatusCode)
	}
}

func TestAnothersLinkAsksBeforeItReplacesASignedInAccount(t *testing.T) {
	s := newSite(t, options{})
	victim, attacker := s.browser(), s.browser()
	victim.follow(victim.signIn("account.portico.test", "13800000001"), "http://account.portico.test/login")
	attacker.post("http://account.portico.test/login/account", "login", "nophone", "password", onboarding.DemoPassword)
	link := attacker.post("http://account.portico.test/bind", "action", "skip").Header.Get("Location")
	page, at := victim.follow(victim.get(link), link)
	body := text(t, page)
	if at != "http://store1001.portico.test/home?asked=1" || !strings.Contains(body, "buyer1") || !strings.Contains(body, "nophone") {
		t.Fatalf("%s\n%s", at, body)
	}
	victim.post("http://store1001.portico.test/home", "action", "keep")
	if body := text(t, victim.get("http://store1001.portico.test/home")); !strings.Contains(body, "buyer1") {
		t.Error("the account was replaced after a no")
	}
}

func TestSigningOutOnALandingHostSignsOutEverywhere(t *testing.T) {
	b := newSite(t, options{}).browser()
	b.follow(b.signIn("account.portico.test", "13800000001"), "http://account.portico.test/login")
	kept := b.jar["store1001.portico.test"]["portico_session"].Value
	r := b.post("http://store1001.portico.test/logout")
	wantStatus(t, r, http.StatusSeeOther)
	if r.Header.Get("Clear-Site-Data") == "" || r.Header.Get("Location") != "http://account.portico.test/login?done=signed_out" {
		t.Errorf("%v", r.Header)
	}
	if r := b.get("http://account.portico.test/company"); r.StatusCode != http.StatusSeeOther {
		t.Error("the account site is still signed in")
	}
	b.jar["store1001.portico.test"]["portico_session"] = &http.Cookie{Name: "portico_session", Value: kept}
	if r := b.get("http://store1001.portico.test/home"); r.StatusCode != http.StatusSeeOther {
		t.Error("the old cookie still opens")
	}
}

func TestASessionIsOfOneHostAndOneCompany(t *testing.T) {
	b := newSite(t, options{}).browser()
	b.signIn("store1001.portico.test", "13800000003")
	cookie := b.jar["store1001.portico.test"]
	wantStatus(t, b.get("http://store1001.portico.test/company?all=1"), http.StatusOK)
	for _, host := range []string{"store1002.portico.test", "account.portico.test", "jinsui.test", "astore1001.portico.test"} {
		b.jar[host] = cookie
		if r := b.get("http://" + host + "/company?all=1"); r.StatusCode != http.StatusSeeOther {
			t.Errorf("the session of store1001 opens %s: %d", host, r.StatusCode)
		}
	}
}

func TestFormsFromElsewhereAreRefused(t *testing.T) {
	s := newSite(t, options{})
	form := url.Values{"phone": {"13800000001"}, "password": {onboarding.DemoPassword}}
	for name, headers := range map[string][]string{
		"cross-site": {"Sec-Fetch-Site", "cross-site"}, "sibling host": {"Sec-Fetch-Site", "same-site"},
		"foreign origin": {"Sec-Fetch-Site", "", "Origin", "https://evil.test"}, "null origin": {"Sec-Fetch-Site", "", "Origin", "null"},
		"sibling origin": {"Sec-Fetch-Site", "", "Origin", "http://m.portico.test"},
	} {
		r := s.browser().do(http.MethodPost, "http://account.portico.test/login", form, headers...)
		if r.StatusCode != http.StatusForbidden || len(r.Cookies()) > 1 {
			t.Errorf("%s: %d %v", name, r.StatusCode, r.Cookies())
		}
	}
	old := s.browser()
	old.bare = true
	wantStatus(t, old.signIn("account.portico.test", "13800000003"), http.StatusSeeOther)
	wantStatus(t, old.post("http://account.portico.test/company", "company_id", "1001"), http.StatusForbidden)
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(text(t, old.get("http://account.portico.test/company")))[1]
	wantStatus(t, old.post("http://account.portico.test/company", "company_id", "1001", "token", token), http.StatusSeeOther)
}

func TestGetAndHeadChangeNothing(t *testing.T) {
	b := newSite(t, options{}).browser()
	b.signIn("account.portico.test", "13800000003")
	before := b.rows()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for _, path := range []string{"/", "/login", "/login/account", "/company", "/company?all=1", "/accounts", "/enter", "/agreement", "/jumperror", "/logout", "/login?lang=es&u=1&c=2&companyId=1001", "/nothing", "/readyz"} {
			b.do(method, "http://account.portico.test"+path, nil)
		}
	}
	if after := b.rows(); after != before {
		t.Errorf("rows before %s, after %s", before, after)
	}
}

func (s *site) rows(but ...string) string {
	counts, err := s.db.RowCounts(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, table := range but { // these may change
		counts = regexp.MustCompile(`\b`+table+`=\d+ `).ReplaceAllString(counts, "")
	}
	return counts
}

func TestNothingInTheAddressSteersARedirectOrShowsUp(t *testing.T) {
	b := newSite(t, options{}).browser()
	tricks := []string{"//evil.test", `/\evil.test`, "https:evil.test", "https://account.portico.test@evil.test", "%2f%2fevil.test", "..;/", "javascript:alert(1)", "<script>alert(1)</script>", "call 13712345678"}
	for _, trick := range tricks {
		for _, name := range []string{"next", "redirect", "returnUrl", "state", "c", "u", "companyId", "msg", "done", "q"} {
			for _, path := range []string{"/login", "/jumperror", "/agreement"} {
				r := b.get("http://account.portico.test" + path + "?" + url.Values{name: {trick}}.Encode())
				body := text(t, r)
				if r.Header.Get("Location") != "" || strings.Contains(body, "evil.test") || strings.Contains(body, "alert(1)") || strings.Contains(body, "13712345678") {
					t.Errorf("%s?%s=%s: %s", path, name, trick, r.Header.Get("Location"))
				}
			}
		}
	}
	r := b.do(http.MethodPost, "http://account.portico.test/login?next=//evil.test", url.Values{"phone": {"13800000001"}, "password": {onboarding.DemoPassword}, "redirect": {"//evil.test"}})
	if strings.Contains(r.Header.Get("Location"), "evil") {
		t.Error(r.Header.Get("Location"))
	}
}

func TestSharingIdsAreIntegersOrGone(t *testing.T) {
	s := newSite(t, options{})
	for query, want := range map[string]string{
		"u=5&c=7": "5.7", "u=5": "5.0", "u=1e9&c=7": "0.7", "u=-1": "", "u=<b>": "", "u=99999999999999999999": "", "u=9223372036854775807": "9223372036854775807.0", "u=0": "", "u[]=5": "",
	} {
		b := s.browser()
		b.get("http://account.portico.test/login?" + strings.ReplaceAll(query, "<", "%3C"))
		got := ""
		if c := b.jar["account.portico.test"]["portico_share"]; c != nil {
			got = c.Value
		}
		if got != want {
			t.Errorf("%s: kept %q, want %q", query, got, want)
		}
	}
}

func TestOddRequestsAreClientsFaults(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	for name, c := range map[string]struct {
		r    *http.Response
		want int
	}{
		"not a form":        {b.do(http.MethodPost, "http://account.portico.test/login", nil, "Content-Type", "text/plain"), http.StatusUnsupportedMediaType},
		"json":              {b.do(http.MethodPost, "http://account.portico.test/login", nil, "Content-Type", "application/json"), http.StatusUnsupportedMediaType},
		"too large":         {b.post("http://account.portico.test/login", "phone", strings.Repeat("1", 100_000)), http.StatusRequestEntityTooLarge},
		"unknown path":      {b.get("http://account.portico.test/login/x.css"), http.StatusNotFound},
		"path with a dot":   {b.get("http://account.portico.test/login;.css"), http.StatusNotFound},
		"trailing slash":    {b.get("http://account.portico.test/login/"), http.StatusNotFound},
		"landing elsewhere": {b.get("http://account.portico.test/mgr"), http.StatusNotFound},
		"account route":     {b.get("http://m.portico.test/company"), http.StatusNotFound},
		"wrong method":      {b.do(http.MethodPut, "http://account.portico.test/login", nil), http.StatusMethodNotAllowed},
		"trace":             {b.do(http.MethodTrace, "http://account.portico.test/login", nil), http.StatusMethodNotAllowed},
		"get logout":        {b.get("http://account.portico.test/logout"), http.StatusMethodNotAllowed},
		"huge password":     {b.post("http://account.portico.test/login", "phone", "13800000001", "password", strings.Repeat("x", 5000)), http.StatusUnprocessableEntity},
		"nul":               {b.post("http://account.portico.test/login/account", "login", "a\x00b", "password", "x"), http.StatusUnprocessableEntity},
		"bidi":              {b.post("http://account.portico.test/login/account", "login", "a\u202eb", "password", "x"), http.StatusUnprocessableEntity},
		"not utf-8":         {b.post("http://account.portico.test/login/account", "login", "a\xffb", "password", "x"), http.StatusUnprocessableEntity},
		"forged code":       {b.get("http://store1001.portico.test/home?auth_code_=AAAA"), http.StatusSeeOther},
		"4,000 cookies":     {b.get("http://account.portico.test/company", "Cookie", strings.Repeat("a=b; ", 4000)), http.StatusSeeOther},
	} {
		if c.r.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, c.r.StatusCode, c.want)
		}
	}
	if strings.Contains(s.log.String(), `"level":"ERROR"`) {
		t.Errorf("a client's fault was logged as ours:\n%s", s.log.String())
	}
}

func TestTwoSessionCookiesAreNone(t *testing.T) {
	b := newSite(t, options{}).browser()
	b.signIn("account.portico.test", "13800000003")
	good := b.jar["account.portico.test"]["portico_session"].Value
	if r := b.get("http://account.portico.test/company", "Cookie", "portico_session=planted; portico_session="+good); r.StatusCode != http.StatusSeeOther {
		t.Errorf("two cookies of one name: %d", r.StatusCode)
	}
}

func TestTheSessionCookieIsNewAtEachSignInAndGuarded(t *testing.T) {
	s := newSite(t, options{production: true})
	b := s.browser()
	r := b.post("https://account.portico.test/login", "phone", "13800000003", "password", onboarding.DemoPassword, "remember", "1")
	wantStatus(t, r, http.StatusSeeOther)
	c := b.jar["account.portico.test"]["__Host-portico_session"]
	if c == nil || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || c.MaxAge != 30*24*3600 || len(c.Value) < 43 {
		t.Fatalf("%+v", c)
	}
	old := c.Value
	b.post("https://account.portico.test/login", "phone", "13800000003", "password", onboarding.DemoPassword)
	if now := b.jar["account.portico.test"]["__Host-portico_session"]; now.Value == old || now.MaxAge != 0 {
		t.Errorf("%+v", now)
	}
	if r := b.get("https://account.portico.test/company", "Cookie", "__Host-portico_session="+old); r.StatusCode != http.StatusSeeOther {
		t.Error("the old id still opens")
	}
}

func TestWhoseSessionEndedLeavesNothingInTheBrowser(t *testing.T) {
	b := newSite(t, options{}).browser()
	for _, done := range []string{"session_ended", "signed_out"} {
		wantPage(t, b.get("http://account.portico.test/login?done="+done), http.StatusOK, "data-mirror-clear")
	}
	if strings.Contains(text(t, b.get("http://account.portico.test/login?done=reset")), "data-mirror-clear") {
		t.Error("a new password empties it")
	}
}

func TestRememberingFillsInTheLoginAndTellsNobodyElse(t *testing.T) {
	b := newSite(t, options{}).browser()
	b.post("http://account.portico.test/login", "phone", "138 0000 0003", "password", onboarding.DemoPassword, "remember", "1")
	b.post("http://account.portico.test/logout")
	if c := b.jar["account.portico.test"]["portico_login"]; c == nil || strings.Contains(c.Value, "1380000") {
		t.Errorf("%+v", c)
	}
	if body := text(t, b.get("http://account.portico.test/login")); !strings.Contains(body, `value="138 0000 0003"`) || strings.Contains(body, onboarding.DemoPassword) {
		t.Error("the phone is not filled in, or the password is")
	}
}

func TestSomeoneSignedInIsOfferedTheWayOn(t *testing.T) {
	b := newSite(t, options{}).browser()
	b.signIn("account.portico.test", "13800000001")
	if body := text(t, b.get("http://account.portico.test/")); !strings.Contains(body, "138****0001") {
		t.Error("no way on")
	}
	if to := b.post("http://account.portico.test/company", "action", "continue").Header.Get("Location"); !strings.HasPrefix(to, "http://store1001.portico.test/home?") {
		t.Error(to)
	}
}

func TestProductionLetsTheHostAloneNameTheCompany(t *testing.T) {
	for production, want := range map[bool]string{true: "Portico", false: "Mariscos del Sur"} {
		b := newSite(t, options{production: production}).browser()
		if body := text(t, b.get("http://localhost/login?companyId=1002&lang=en")); !strings.Contains(body, "<title>Sign in - "+want+"</title>") {
			t.Errorf("production %t: %s", production, regexp.MustCompile("<title>.*</title>").FindString(body))
		}
	}
}

func TestACompanysTextsAreInert(t *testing.T) {
	s := newSite(t, options{})
	nasty := `<img src=x onerror=alert(1)>"'</title>`
	if err := s.p.Operator.SetCompany(t.Context(), 1001, "name", nasty); err != nil {
		t.Fatal(err)
	}
	s.clock = s.clock.Add(2 * time.Second) // past the company cache
	b := s.browser()
	for _, page := range []string{text(t, b.get("http://store1001.portico.test/login")), text(t, b.get("http://store1001.portico.test/nothing"))} {
		if strings.Contains(page, "<img src=x") || !strings.Contains(page, "&lt;img") {
			t.Error("a company's name is markup")
		}
	}
	landed, _ := b.follow(b.signIn("store1001.portico.test", "13800000001"), "http://store1001.portico.test/login")
	if strings.Contains(text(t, landed), "<img src=x") {
		t.Error("a company's name is markup on the landing page")
	}
}

func TestTheLogAndTheDatabaseHoldNoSecret(t *testing.T) {
	s := newSite(t, options{limits: true})
	b := s.browser()
	b.post("http://account.portico.test/login", "phone", "13800000003", "password", "Canary99wrong")
	b.post("http://account.portico.test/login/account", "login", "Canary99wrong2", "password", "x")
	location := b.signIn("account.portico.test", "13800000001").Header.Get("Location")
	b.follow(b.get(location), location)
	code := location[strings.LastIndex(location, "=")+1:]
	dump, err := s.db.Dump(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{"Canary99wrong", onboarding.DemoPassword, code}
	for _, jar := range b.jar {
		for name, c := range jar {
			if name == "portico_session" || name == "portico_login" {
				secrets = append(secrets, c.Value)
			}
		}
	}
	for _, secret := range secrets {
		if strings.Contains(s.log.String(), secret) || strings.Contains(dump, secret) {
			t.Errorf("found %.12s… in the log or the database", secret)
		}
	}
	if strings.Contains(s.log.String(), "13800000001") || !strings.Contains(s.log.String(), "sign_in") {
		t.Errorf("the log holds a phone, or no sign-in:\n%s", s.log.String())
	}
}
