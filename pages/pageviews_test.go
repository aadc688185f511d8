package pages_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portico/locale"
	"portico/pages"
	"portico/portal/statistics"
)

const phoneAgent = "Mozilla/5.0 (Linux; Android 13; CUBOT X18) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36"

// viewed is what is counted of a company since the site was made, by page and kind of device.
func (s *site) viewed(companyID int64) map[string]int64 {
	s.t.Helper()
	if err := s.p.Statistics.WriteViews(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	rows, err := s.db.Views(s.t.Context(), companyID, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string]int64{}
	for _, r := range rows {
		all[r.Page+" "+r.Device] += r.Views
	}
	return all
}

func TestAPageThatAPersonOpensIsCountedByItsFixedName(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	first := b.get("http://store1001.portico.test/login?u=1&c=2&lang=es")
	wantStatus(t, first, http.StatusOK)
	wantStatus(t, b.get("http://store1001.portico.test/login?u=1&c=2&lang=es", "If-None-Match", first.Header.Get("Etag")), http.StatusNotModified)
	wantStatus(t, b.get("http://store1001.portico.test/"), http.StatusOK)
	wantStatus(t, b.get("http://store1001.portico.test/login?done=signed_out", "Sec-Fetch-Dest", "document"), http.StatusOK) // made for this reader
	wantStatus(t, b.get("http://store1001.portico.test/login/account"), http.StatusOK)
	wantStatus(t, b.get("http://store1001.portico.test/agreement"), http.StatusOK)
	wantStatus(t, b.get("http://account.portico.test/register"), http.StatusOK)
	if got := s.viewed(1001); !maps.Equal(got, map[string]int64{"login desktop": 4, "login_account desktop": 1, "agreement desktop": 1}) {
		t.Errorf("%v", got)
	}
	if got := s.viewed(0); !maps.Equal(got, map[string]int64{"register desktop": 1}) {
		t.Errorf("where there is no company: %v", got)
	}
}

func TestPagesOfALandingSiteAreTheCompanys(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.agent = phoneAgent
	b.follow(b.signIn("account.portico.test", "13800000002"), "http://account.portico.test/login")
	id := decimal(s.account("former").ID)
	wantStatus(t, b.get("http://mgr.portico.test/home/people/"+id+"?x="+id), http.StatusOK)
	wantStatus(t, b.get("http://mgr.portico.test/home/people/999999"), http.StatusNotFound)
	wantStatus(t, b.get("http://mgr.portico.test/home/audit.csv"), http.StatusOK)
	buyer := s.browser()
	buyer.agent = phoneAgent
	buyer.follow(buyer.signIn("account.portico.test", "13800000001"), "http://account.portico.test/login")
	s.within("13800000001").get("http://store1001.portico.test/home/orders")
	want := map[string]int64{"office phone": 1, "person phone": 1, "shop phone": 1, "shop desktop": 1, "shop_orders desktop": 1}
	if got := s.viewed(1001); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := s.viewed(0); len(got) != 0 {
		t.Errorf("of no company: %v", got)
	}
	dump, err := s.db.Dump(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(dump) {
		if strings.HasPrefix(line, "page_views") && (strings.Contains(line, id) || strings.Contains(line, "203.0.113") || strings.Contains(line, "/")) {
			t.Errorf("kept more than is said: %s", line)
		}
	}
}

func TestTheKindOfDeviceIsToldByWhatTheBrowserSays(t *testing.T) {
	s := newSite(t, options{})
	for kind, headers := range map[string][]string{
		"phone":     {"User-Agent", phoneAgent},
		"desktop":   {"User-Agent", desktopAgent},
		"wechat":    {"User-Agent", phoneAgent + " MicroMessenger/8.0.40"},
		"work-chat": {"User-Agent", phoneAgent + " wxwork/4.1 MicroMessenger/7.0.1"},
		"app":       {"User-Agent", phoneAgent + " PorticoApp/3.2.1 (Android)"},
	} {
		for _, path := range []string{"/login", "/agreement"} {
			wantStatus(t, s.browser().get("http://store1001.portico.test"+path, headers...), http.StatusOK)
			if got := s.viewed(1001); got[strings.Replace(path[1:], "/", "_", 1)+" "+kind] != 1 {
				t.Errorf("%s %s: %v", kind, path, got)
			}
		}
	}
	s.browser().get("http://store1002.portico.test/login", "Sec-CH-UA-Mobile", "?1")
	if got := s.viewed(1002); got["login phone"] != 1 {
		t.Errorf("by its hint: %v", got)
	}
}

func TestWhatNobodyLooksAtIsNotCounted(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	etag := b.get("http://store1002.portico.test/login").Header.Get("Etag")
	for _, path := range []string{"/login", "/agreement", "/forget"} {
		for _, headers := range [][]string{
			{"Sec-Purpose", "prefetch"}, {"Sec-Purpose", "prefetch;prerender"}, {"Purpose", "prefetch"}, {"X-Moz", "prefetch"}, {"Sec-Fetch-Dest", "empty"}, {"Sec-Fetch-Dest", "iframe"},
			{"User-Agent", ""}, {"User-Agent", "curl/8.5.0"}, {"User-Agent", "Go-http-client/1.1"}, {"User-Agent", "python-requests/2.32"}, {"User-Agent", "WhatsApp/2.23"},
			{"User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"}, {"User-Agent", "Mozilla/5.0 (compatible; bingbot/2.0)"},
			{"User-Agent", "Mozilla/5.0 (compatible; Baiduspider/2.0)"}, {"User-Agent", "Mozilla/5.0 AppleWebKit/537.36 (compatible; Bytespider)"},
			{"User-Agent", "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/130.0.0.0 Safari/537.36"}, {"User-Agent", "Mozilla/5.0 (Linux) Chrome/130 Chrome-Lighthouse"},
			{"User-Agent", "facebookexternalhit/1.1"}, {"User-Agent", "Mozilla/5.0 (compatible; Yahoo! Slurp)"}, {"If-None-Match", etag, "User-Agent", "curl/8.5.0"},
		} {
			b.get("http://store1001.portico.test"+path, headers...)
		}
		b.do(http.MethodHead, "http://store1001.portico.test"+path, nil)
	}
	wantStatus(t, b.post("http://store1001.portico.test/login", "phone", "1"), http.StatusUnprocessableEntity)
	wantStatus(t, b.post("http://store1001.portico.test/login", "phone", "1", "lang", "es"), http.StatusOK)
	wantStatus(t, b.get("http://store1001.portico.test/nothing"), http.StatusNotFound)
	wantStatus(t, b.get("http://store1001.portico.test/company"), http.StatusSeeOther)
	wantStatus(t, b.get("http://store1001.portico.test/regions.json"), http.StatusOK)
	wantStatus(t, b.get("http://store1001.portico.test/dev/native"), http.StatusOK)
	wantStatus(t, b.do(http.MethodPut, "http://store1001.portico.test/login", nil), http.StatusMethodNotAllowed)
	if got := s.viewed(1001); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// notCounted are the routes of GET that show no page, or none that a company wants to know of.
var notCounted = []string{
	"/wechat", "/wechat/callback", "/wechatpro", "/regions.json", "/register/more/licence", "/icon/{name}", "/portrait/{name}", "/favicon.ico", "/assets/*",
	"/dev/native", "/dev/native.json", "/dev/native/wrapper.js", "/dev/inbox", "/dev/inbox.json",
	"/applications/{id}/licence", "/audit.csv", "/settings/visits.csv", "/settings/appearance/look", "/robots.txt", "/sitemap.xml", "/style/{name}", "/share/{name}",
}

func TestEveryPageHasANameThatIsCounted(t *testing.T) {
	s := newSite(t, options{})
	used := map[statistics.Screen]bool{}
	for _, route := range s.doors.(*pages.Pages).ShownRoutes() {
		used[route.Screen] = true
		under := route.Path
		for _, base := range []string{"/home", "/mgr", "/shop"} {
			under = strings.TrimPrefix(under, base)
		}
		if slices.Contains(notCounted, under) != (route.Screen == "") {
			t.Errorf("%s on %s is %q: give it a name in pageviews.go, or say here that it is not counted", route.Path, route.Site, route.Screen)
		}
		if route.Screen != "" && !slices.Contains(statistics.Screens, route.Screen) {
			t.Errorf("%s is none of portal.Screens", route.Screen)
		}
	}
	for _, screen := range statistics.Screens {
		if !used[screen] || !locale.Has("visits.page_"+string(screen)) {
			t.Errorf("%s is no page, or has no words", screen)
		}
	}
	for _, on := range statistics.DeviceKinds {
		if !locale.Has("visits.on_" + string(on)) {
			t.Errorf("%s has no words", on)
		}
	}
}

func TestTheChoiceInAMenuIsReportedByItsAddress(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	const seen = "http://store1001.portico.test/seen"
	for _, menu := range []string{"/mgr/orders", "orders", "/mgr/orders", "/mgr/settings/visits", "/home/orders", "/nothing", "/mgr/people/5", "javascript:alert(1)", ""} {
		r := b.post(seen, "menu", menu)
		wantStatus(t, r, http.StatusNoContent)
		if r.Header.Get("Cache-Control") != "no-store" || text(t, r) != "" {
			t.Errorf("%q: %v", menu, r.Header)
		}
	}
	phone := s.browser()
	phone.agent = phoneAgent
	phone.follow(phone.signIn("account.portico.test", "13800000002"), "http://account.portico.test/login")
	wantStatus(t, phone.post("http://mgr.portico.test/seen", "menu", "/home/customers"), http.StatusNoContent)
	wantStatus(t, s.browser().post(seen, "menu", "/mgr/orders"), http.StatusNoContent)
	wantStatus(t, s.browser().post("http://account.portico.test/seen", "menu", "/mgr/orders"), http.StatusNoContent)
	wantStatus(t, b.do(http.MethodPost, seen, map[string][]string{"menu": {"/mgr/orders"}}, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden)
	wantStatus(t, b.get(seen), http.StatusMethodNotAllowed)
	got := s.viewed(1001)
	maps.DeleteFunc(got, func(name string, _ int64) bool { return !strings.HasPrefix(name, "menu:") })
	if !maps.Equal(got, map[string]int64{"menu:orders desktop": 2, "menu:visits desktop": 1, "menu:customers phone": 1}) {
		t.Errorf("%v", got)
	}
}
