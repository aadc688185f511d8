package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
	"portico/portal/signin"
)

func TestReturnPathThatBrowsersReadAsAnotherHostIsIgnored(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	tricks := []string{"/%2fevil.test/x", "/%2f%2fevil.test", "/%5cevil.test", "//evil.test", `/\evil.test`}
	for _, back := range tricks {
		b := s.Browser()
		page := pagestest.Text(t, b.Get(pagestest.AccountSite+"/login?"+url.Values{"return": {back}}.Encode()))
		if kept := b.Jar["account.portico.test"]["portico_return"]; kept != nil || strings.Contains(page, "evil.test") {
			t.Errorf("%s is kept: %v", back, kept)
		}
	}
}

func TestReturnPathOfUpTo400BytesIsKeptForAnHour(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for length, seconds := range map[int]int{400: 3600, 401: 0} {
		b, kept := s.Browser(), 0
		b.Get(withReturn(pagestest.AccountSite+"/login", "/"+strings.Repeat("a", length-1)))
		if c := b.Jar["account.portico.test"]["portico_return"]; c != nil {
			kept = c.MaxAge
		}
		if kept != seconds {
			t.Errorf("%d bytes are kept for %d seconds, want %d", length, kept, seconds)
		}
	}
}

// With any value of ?return= the person ends on a page of the platform, and no address of another host is built from
// it.
func TestReturnPathNeverLeadsToAnotherHost(t *testing.T) {
	s := pagestest.NewChatSite(t)
	tricks := []string{
		"//evil.test/home/orders", `/\evil.test/home`, `\\evil.test`,
		"https://evil.test/home", "javascript:alert(1)", "data:text/html,x",
		"/home/../../evil", "/home/orders\r\nLocation: https://evil.test",
		"/%0d%0aSet-Cookie:x=1", "/%2e%2e//evil.test",
		"/home@evil.test", "/home/orders?auth_code_=x&return=//evil.test",
		"/" + strings.Repeat("a", 401), "home/orders", "",
		"http:/home/orders", "/home//evil.test", " //evil.test", "\t//evil.test",
	}
	for _, back := range tricks {
		for _, path := range []string{"/login", "/login/account", "/login/code", "/wechat"} {
			b := s.Browser()
			if path == "/wechat" {
				b.Agent = pagestest.InWeChat
			}
			r := b.Get(withReturn(pagestest.AccountSite+path, back))
			page := pagestest.Text(t, r)
			for _, header := range []string{r.Header.Get("Location"), r.Header.Get("Set-Cookie")} {
				if strings.ContainsAny(header, "\r\n") {
					t.Errorf("%q: a header has a line feed", back)
				}
			}
			if strings.Contains(page, "javascript:alert") || strings.Contains(page, `href="//evil`) {
				t.Errorf("%q is in the page", back)
			}
			signedIn := b.Post(pagestest.AccountSite+"/login",
				"phone", "13800000001", "password", onboarding.DemoPassword, "return", back)
			at := followAll(b, signedIn, pagestest.AccountSite)
			u, err := url.Parse(at)
			if err != nil || u.Hostname() != "store1001.portico.test" && u.Hostname() != "m.portico.test" {
				t.Errorf("%q at %s leads to %s", back, path, at)
			}
			if r := b.Get(at); r.StatusCode != http.StatusOK {
				t.Errorf("%q at %s: %d at %s", back, path, r.StatusCode, at)
			}
		}
	}
	own := s.BrowserWithAgent(pagestest.InWeChat).Get(withReturn(pagestest.OwnHost+"/wechat", "//evil.test"))
	if at := own.Header.Get("Location"); strings.Contains(at, "evil") {
		t.Errorf("the company's own domain leads to %s", at)
	}
}

// A shop that is another product opens the wanted page itself. It gets the path with the code, and as return_ of the
// code's user. It gets only paths of pages.
func TestHandOverCarriesTheReturnPath(t *testing.T) {
	const phone, desktop = "13800000001", "http://store1001.portico.test/home?companyId=1001"
	for wanted, want := range map[string]string{
		"/home/orders?q=rice&state=new": "/home/orders?q=rice&state=new",
		"/shop/orders":                  "/home/orders", // the page of the phone's shop, on a desktop
		"/home":                         "/home",
		"":                              "",
		"/home/nowhere":                 "",
		"/mgr/orders":                   "", // of a side that the person does not enter
		"//evil.test/home/orders":       "",
		"https://evil.test/home/orders": "",
		`/home/orders\..\evil`:          "",
		"/home/../orders":               "",
		"/home/orders?auth_code_=x&return=//evil.test": "/home/orders",
	} {
		s := pagestest.NewSite(t, pagestest.Options{})
		r := s.Browser().Post(pagestest.AccountSite+"/login",
			"phone", phone, "password", onboarding.DemoPassword, "return", wanted)
		at := r.Header.Get("Location")
		u, err := url.Parse(at)
		fatalOnError(t, err)
		if !strings.HasPrefix(at, desktop+"&auth_code_=") || u.Query().Get("return") != want ||
			u.Query().Has("return") != (want != "") {
			t.Errorf("%q leads to %s", wanted, at)
		}
		user, err := s.Portal.Landing.RedeemForClient(t.Context(), u.Query().Get("auth_code_"), signin.ClientWebApp, 0)
		fatalOnError(t, err)
		if string(user.Return) != want {
			t.Errorf("%q: return_ is %q", wanted, user.Return)
		}
	}
}

// The path in the address of a hand-over can be changed by anybody, so Portico's own sites take the one in the code.
func TestLandingSiteIgnoresTheReturnPathBesideACode(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	r := b.Post(pagestest.AccountSite+"/login",
		"phone", "13800000001", "password", onboarding.DemoPassword, "return", "/home/orders?q=rice")
	at, _, _ := strings.Cut(r.Header.Get("Location"), "&return=")
	pagestest.WantRedirect(t, b.Get(at+"&return=%2Fhome%2Fcart"), "/home/orders?q=rice")
}

func TestLandingSiteTellsAFirstVisitFromAnEndedSession(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	pages := map[string]string{ // a page of each side, and the sign-in page to which it redirects
		"http://store1001.portico.test/home":           "/login",
		"http://store1001.portico.test/home/orders":    "/login?return=%2Fhome%2Forders",
		"http://store1001.portico.test/home?page=2":    "/login?return=%2Fhome%3Fpage%3D2",
		"http://store1001.portico.test/mgr":            "/login",
		"http://store1001.portico.test/mgr/audit?of=x": "/login?return=%2Fmgr%2Faudit%3Fof%3Dx",
		"http://store1001.portico.test/mgr/audit.csv":  "/login?return=%2Fmgr%2Faudit",
		"http://m.portico.test/shop":                   pagestest.AccountSite + "/login",
		"http://mgr.portico.test/home":                 pagestest.AccountSite + "/login",
		"http://mgr.portico.test/home/people?side=mgr": pagestest.AccountSite +
			"/login?return=%2Fhome%2Fpeople%3Fside%3Dmgr",
		pagestest.OwnHost + "/mgr/people": "/login?return=%2Fmgr%2Fpeople",
	}
	for page, signIn := range pages {
		b := s.Browser()
		pagestest.WantRedirect(t, b.Get(page), signIn)
		if !strings.HasPrefix(signIn, "http") {
			u, err := url.Parse(page)
			fatalOnError(t, err)
			signIn = "http://" + u.Host + signIn
		}
		if shown := pagestest.Text(t, b.Get(signIn)); strings.Contains(shown, "登录已过期") {
			t.Errorf("%s: the page says at a first visit that a session has ended", page)
		}
		u, err := url.Parse(page)
		fatalOnError(t, err)
		b.Jar[u.Hostname()] = map[string]*http.Cookie{"portico_session": {Name: "portico_session", Value: "ended"}}
		ended := b.Get(page)
		if at := ended.Header.Get("Location"); !strings.Contains(at, "/login?done=session_ended") {
			t.Errorf("%s: an ended session leads to %s", page, at)
		}
	}
}

// A browser that downloads a file stays on the sign-in page, so the person gets the page of the file instead.
func TestAFileLeadsToItsPageAfterSigningIn(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	for file, page := range map[string]string{
		"/orders/export.csv?q=rice&state=new":          "/orders?q=rice&state=new",
		"/orders/export.xlsx?from=2026-09-01&sort=ref": "/orders?from=2026-09-01&sort=ref",
		"/orders/export":                          "/orders",
		"/applications/export.xlsx":               "/applications",
		"/customers/export.csv":                   "/customers",
		"/people/export.xlsx":                     "/people",
		"/products/export.xlsx?category=7":        "/products?category=7",
		"/products/import/empty.xlsx":             "/products/import",
		"/products/import/remarks.xlsx?file=1":    "/products/import",
		"/audit.csv?of=orders":                    "/audit?of=orders",
		"/audit/export.xlsx?object=acme&person=3": "/audit?object=acme&person=3",
		"/settings/visits.csv?days=90":            "/settings/visits?days=90",
		"/wechat.json":                            "",
	} {
		signIn := "/login"
		if page != "" {
			signIn = withReturn(signIn, "/mgr"+page)
		}
		pagestest.WantRedirect(t, s.Browser().Get(pagestest.Office+file), signIn)
		r := b.Get(pagestest.Office + page)
		kind := r.Header.Get("Content-Type")
		if r.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/html") {
			t.Errorf("%s: %d, %s", page, r.StatusCode, kind)
		}
	}
}
