package pages_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portico/locale"
	"portico/pages"
	"portico/pages/pagestest"
	"portico/portal/core"
	"portico/store/storetest"
)

func TestOpenedPageIsCountedUnderItsName(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	first := b.Get("http://store1001.portico.test/login?u=1&c=2&lang=es")
	pagestest.WantStatus(t, first, http.StatusOK)
	pagestest.WantStatus(t, b.Get("http://store1001.portico.test/login?u=1&c=2&lang=es", "If-None-Match",
		first.Header.Get("Etag")), http.StatusNotModified)
	pagestest.WantStatus(t, b.Get("http://store1001.portico.test/"), http.StatusOK)
	// This page is rendered for one person, not served from the cache.
	pagestest.WantStatus(t, b.Get("http://store1001.portico.test/login?done=signed_out", "Sec-Fetch-Dest", "document"),
		http.StatusOK)
	pagestest.WantStatus(t, b.Get("http://store1001.portico.test/login/account"), http.StatusOK)
	pagestest.WantStatus(t, b.Get("http://store1001.portico.test/agreement"), http.StatusOK)
	pagestest.WantStatus(t, b.Get("http://account.portico.test/register"), http.StatusOK)
	if got := countedViews(s, 1001); !maps.Equal(got,
		map[string]int64{"login desktop": 4, "login_account desktop": 1, "agreement desktop": 1}) {
		t.Errorf("%v", got)
	}
	if got := countedViews(s, 0); !maps.Equal(got, map[string]int64{"register desktop": 1}) {
		t.Errorf("views on a host without a company: %v", got)
	}
}

func TestViewsOfLandingPagesAreCountedForTheirCompany(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.Agent = pagestest.PhoneAgent
	b.Follow(b.SignIn("account.portico.test", "13800000002"), "http://account.portico.test/login")
	id := pagestest.Decimal(s.Account("former").ID)
	pagestest.WantStatus(t, b.Get("http://mgr.portico.test/home/people/"+id+"?x="+id), http.StatusOK)
	pagestest.WantStatus(t, b.Get("http://mgr.portico.test/home/people/999999"), http.StatusNotFound)
	pagestest.WantStatus(t, b.Get("http://mgr.portico.test/home/audit.csv"), http.StatusOK)
	buyer := s.Browser()
	buyer.Agent = pagestest.PhoneAgent
	buyer.Follow(buyer.SignIn("account.portico.test", "13800000001"), "http://account.portico.test/login")
	s.SignInByPhone("13800000001").Get("http://store1001.portico.test/home/orders")
	want := map[string]int64{"office phone": 1, "person phone": 1, "shop phone": 1, "shop desktop": 1,
		"shop_orders desktop": 1}
	if got := countedViews(s, 1001); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := countedViews(s, 0); len(got) != 0 {
		t.Errorf("views without a company: %v", got)
	}
	dump, err := storetest.Dump(t.Context(), s.DB)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(dump) {
		if strings.HasPrefix(line, "page_views") &&
			(strings.Contains(line, id) || strings.Contains(line, "203.0.113") || strings.Contains(line, "/")) {
			t.Errorf("a row of page views contains more than page, device and day: %s", line)
		}
	}
}

func TestDeviceOfAPageViewComesFromTheRequestHeaders(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for kind, headers := range map[string][]string{
		"phone":     {"User-Agent", pagestest.PhoneAgent},
		"desktop":   {"User-Agent", pagestest.DesktopAgent},
		"wechat":    {"User-Agent", pagestest.PhoneAgent + " MicroMessenger/8.0.40"},
		"work-chat": {"User-Agent", pagestest.PhoneAgent + " wxwork/4.1 MicroMessenger/7.0.1"},
		"app":       {"User-Agent", pagestest.PhoneAgent + " PorticoApp/3.2.1 (Android)"},
	} {
		for _, path := range []string{"/login", "/agreement"} {
			pagestest.WantStatus(t, s.Browser().Get("http://store1001.portico.test"+path, headers...), http.StatusOK)
			if got := countedViews(s, 1001); got[strings.Replace(path[1:], "/", "_", 1)+" "+kind] != 1 {
				t.Errorf("%s %s: %v", kind, path, got)
			}
		}
	}
	s.Browser().Get("http://store1002.portico.test/login", "Sec-CH-UA-Mobile", "?1")
	if got := countedViews(s, 1002); got["login phone"] != 1 {
		t.Errorf("by its hint: %v", got)
	}
}

func TestRequestsThatShowNoPageAreNotCounted(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	etag := b.Get("http://store1002.portico.test/login").Header.Get("Etag")
	for _, path := range []string{"/login", "/agreement", "/forget"} {
		for _, headers := range [][]string{
			{"Sec-Purpose", "prefetch"}, {"Sec-Purpose", "prefetch;prerender"}, {"Purpose", "prefetch"},
			{"X-Moz", "prefetch"}, {"Sec-Fetch-Dest", "empty"}, {"Sec-Fetch-Dest", "iframe"},
			{"User-Agent", ""}, {"User-Agent", "curl/8.5.0"}, {"User-Agent", "Go-http-client/1.1"},
			{"User-Agent", "python-requests/2.32"}, {"User-Agent", "WhatsApp/2.23"},
			{"User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
			{"User-Agent", "Mozilla/5.0 (compatible; bingbot/2.0)"},
			{"User-Agent", "Mozilla/5.0 (compatible; Baiduspider/2.0)"},
			{"User-Agent", "Mozilla/5.0 AppleWebKit/537.36 (compatible; Bytespider)"},
			{"User-Agent", "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/130.0.0.0 Safari/537.36"},
			{"User-Agent", "Mozilla/5.0 (Linux) Chrome/130 Chrome-Lighthouse"},
			{"User-Agent", "facebookexternalhit/1.1"}, {"User-Agent", "Mozilla/5.0 (compatible; Yahoo! Slurp)"},
			{"If-None-Match", etag, "User-Agent", "curl/8.5.0"},
		} {
			b.Get("http://store1001.portico.test"+path, headers...)
		}
		b.Do(http.MethodHead, "http://store1001.portico.test"+path, nil)
	}
	pagestest.WantStatus(t, b.Post("http://store1001.portico.test/login", "phone", "1"), http.StatusUnprocessableEntity)
	pagestest.WantStatus(t, b.Post("http://store1001.portico.test/login", "phone", "1", "lang", "es"), http.StatusOK)
	pagestest.WantStatus(t, b.Get("http://store1001.portico.test/nothing"), http.StatusNotFound)
	pagestest.WantStatus(t, b.Get("http://store1001.portico.test/company"), http.StatusSeeOther)
	pagestest.WantStatus(t, b.Get("http://store1001.portico.test/regions.json"), http.StatusOK)
	pagestest.WantStatus(t, b.Get("http://store1001.portico.test/dev/native"), http.StatusOK)
	pagestest.WantStatus(t, b.Do(http.MethodPut, "http://store1001.portico.test/login", nil),
		http.StatusMethodNotAllowed)
	if got := countedViews(s, 1001); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// uncountedRoutes are the routes of GET whose views are not counted: they show no page, or one that does not interest a
// company.
var uncountedRoutes = []string{
	"/wechat", "/wechat/callback", "/wechatpro", "/regions.json", "/register/more/licence", "/icon/{name}",
	"/portrait/{name}", "/welcome/{name}", "/favicon.ico", "/assets/*",
	"/dev/native", "/dev/native.json", "/dev/native/wrapper.js", "/dev/inbox", "/dev/inbox.json",
	"/applications/{id}/licence", "/audit.csv", "/audit.xlsx",
	"/audit/export.csv", "/audit/export.xlsx",
	"/settings/visits.csv", "/settings/appearance/look", "/robots.txt",
	"/.well-known/change-password", "/sitemap.xml", "/style/{name}", "/share/{name}", "/received", "/wechat.json",
	"/orders/export.csv", "/orders/export.xlsx", "/applications/export.csv", "/applications/export.xlsx",
	"/customers/export.csv", "/customers/export.xlsx", "/people/export.csv", "/people/export.xlsx",
	"/products/export.csv", "/products/export.xlsx", "/product/{name}",
	"/customers/import/empty.xlsx", "/customers/import/remarks.xlsx", "/people/import/empty.xlsx",
	"/people/import/remarks.xlsx", "/products/import/empty.xlsx", "/products/import/remarks.xlsx",
}

func TestEveryPageIsCountedUnderAKnownName(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	used := map[core.Screen]bool{}
	for _, route := range s.Handler.(*pages.Pages).ShownRoutes() {
		used[route.Screen] = true
		under := route.Path
		for _, base := range []string{"/home", "/mgr", "/shop"} {
			under = strings.TrimPrefix(under, base)
		}
		if slices.Contains(uncountedRoutes, under) != (route.Screen == "") {
			t.Errorf("%s on %s is %q: give it a name in pageviews.go, or say here that it is not counted", route.Path,
				route.Site, route.Screen)
		}
		if route.Screen != "" && !slices.Contains(core.Screens, route.Screen) {
			t.Errorf("%s is not in portal.Screens", route.Screen)
		}
	}
	for _, screen := range core.Screens {
		if !used[screen] || !locale.Has("visits.page_"+string(screen)) {
			t.Errorf("%s is the name of no page, or has no text", screen)
		}
	}
	for _, on := range core.DeviceKinds {
		if !locale.Has("visits.on_" + string(on)) {
			t.Errorf("%s has no text", on)
		}
	}
}

func TestViewsOfMenuTabsAreReportedByAddress(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	const seen = "http://store1001.portico.test/seen"
	for _, menu := range []string{"/mgr/orders", "orders", "/mgr/orders", "/mgr/settings/visits", "/home/orders",
		"/nothing", "/mgr/people/5", "javascript:alert(1)", ""} {
		r := b.Post(seen, "menu", menu)
		pagestest.WantStatus(t, r, http.StatusNoContent)
		if r.Header.Get("Cache-Control") != "no-store" || pagestest.Text(t, r) != "" {
			t.Errorf("%q: %v", menu, r.Header)
		}
	}
	phone := s.Browser()
	phone.Agent = pagestest.PhoneAgent
	phone.Follow(phone.SignIn("account.portico.test", "13800000002"), "http://account.portico.test/login")
	pagestest.WantStatus(t, phone.Post("http://mgr.portico.test/seen", "menu", "/home/customers"), http.StatusNoContent)
	pagestest.WantStatus(t, s.Browser().Post(seen, "menu", "/mgr/orders"), http.StatusNoContent)
	pagestest.WantStatus(t, s.Browser().Post("http://account.portico.test/seen", "menu", "/mgr/orders"),
		http.StatusNoContent)
	pagestest.WantStatus(t, b.Do(http.MethodPost, seen, map[string][]string{"menu": {"/mgr/orders"}}, "Sec-Fetch-Site",
		"cross-site"), http.StatusForbidden)
	pagestest.WantStatus(t, b.Get(seen), http.StatusMethodNotAllowed)
	got := countedViews(s, 1001)
	maps.DeleteFunc(got, func(name string, _ int64) bool { return !strings.HasPrefix(name, "menu:") })
	if !maps.Equal(got, map[string]int64{"menu:orders desktop": 2, "menu:visits desktop": 1,
		"menu:customers phone": 1}) {
		t.Errorf("%v", got)
	}
}

// countedViews returns the page views of a company since the Site was made, by page and kind of device. It fails the
// test when the database fails.
func countedViews(s *pagestest.Site, companyID int64) map[string]int64 {
	s.T.Helper()
	if err := s.Portal.Statistics.WriteViews(s.T.Context()); err != nil {
		s.T.Fatal(err)
	}
	rows, err := s.DB.Views.OfCompany(s.T.Context(), companyID, 0)
	if err != nil {
		s.T.Fatal(err)
	}
	all := map[string]int64{}
	for _, r := range rows {
		if r.Device != "" { // sign-ins have none
			all[r.Page+" "+r.Device] += r.Views
		}
	}
	return all
}
