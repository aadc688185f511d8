package pages_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"portico/store"
)

const plainCounter = "https://count.example.com/p"

// counting gives company 1001 an address for statistics, as if an administrator had set it.
func (s *site) counting(address string) {
	s.t.Helper()
	c, err := s.db.CompanyByID(s.t.Context(), 1001)
	if err != nil {
		s.t.Fatal(err)
	}
	c.ViewCountURL, c.UpdatedAt = address, store.At(s.clock)
	if err := s.db.UpdateCompany(s.t.Context(), c); err != nil {
		s.t.Fatal(err)
	}
	s.clock = s.clock.Add(2 * time.Second)
}

var reportTag = regexp.MustCompile(`<img class="report" loading="lazy" src="([^"]*)" alt="" width="1" height="1" ` +
	`referrerpolicy="no-referrer" crossorigin="anonymous">`)

// reported returns the address to which a page reports its view, "" for none.
func reported(page string) string {
	if tag := reportTag.FindStringSubmatch(page); tag != nil {
		return html.UnescapeString(tag[1])
	}
	return ""
}

func TestEveryPageOfACompanyReportsItsView(t *testing.T) {
	s := newSite(t, options{counters: []string{"count.example.com"}})
	admin, buyer, visitor, member := s.within("13800000002"), s.within("13800000001"), s.browser(), s.browser()
	wantStatus(t, member.signIn("store1001.portico.test", "13800000003"), http.StatusSeeOther)
	s.counting(plainCounter)
	order := found(t, text(t, buyer.get("http://store1001.portico.test/home/orders")), `href="(/home/orders/\d+)"`)
	person := found(t, text(t, admin.get(office+"/people")), `href="(/mgr/people/\d+)"`)
	for _, c := range []struct {
		who  *browser
		path string
		want string
	}{
		{visitor, "/", "login"}, {visitor, "/login", "login"}, {visitor, "/login?done=signed_out", "login"},
		{visitor, "/login/account", "login-account"},
		{visitor, "/login/code", "login-code"}, {visitor, "/register/more", "register-more"},
		{visitor, "/register/complete", "register-complete"},
		{visitor, "/forget", "forget-phone"}, {visitor, "/forget/phone", "forget-phone"},
		{visitor, "/forget/account", "forget-account"},
		{visitor, "/agreement", "agreement"}, {visitor, "/jumperror", "jumperror"},
		{visitor, "/none", "failed-404"}, {visitor, "/register/result?id=1", "failed-404"},
		{member, "/company?all=1", "company"}, {member, "/accounts?all=1", "accounts"},
		{member, "/password", "password"},
		{buyer, "/home", "shop"}, {buyer, "/home/orders", "shop-orders"}, {buyer, order, "shop-order"},
		{buyer, "/home/orders/1", "failed-404"},
		{buyer, "/home/orders?auth=x&phone=13800000001", "shop-orders"},
		{admin, "/mgr", "office"}, {admin, "/mgr/orders", "orders"}, {admin, "/mgr/people", "people"},
		{admin, person, "person"},
		{admin, "/mgr/customers", "customers"}, {admin, "/mgr/settings", "settings"},
		{admin, "/mgr/settings/appearance", "appearance"},
		{admin, "/mgr/audit", "audit"}, {admin, "/mgr/people/1", "failed-404"},
	} {
		r := c.who.get("http://store1001.portico.test" + c.path)
		page, policy := text(t, r), r.Header.Get("Content-Security-Policy")
		if to := reported(page); to != plainCounter+"/1001/"+c.want ||
			strings.Count(page, "img class=\"report\"") != 1 {
			t.Errorf("%s (%d) reports to %q", c.path, r.StatusCode, to)
		}
		if !strings.Contains(policy, "img-src 'self' data: https://count.example.com;") ||
			strings.Count(policy, "count.example.com") != 1 {
			t.Errorf("%s: %s", c.path, policy)
		}
	}
}

func TestAReportNamesThePageAndNoPerson(t *testing.T) {
	s := newSite(t, options{counters: []string{"matomo.example.com"}})
	buyer := s.within("13800000001")
	s.counting("https://matomo.example.com/matomo.php?idsite=3")
	order := found(t, text(t, buyer.get("http://store1001.portico.test/home/orders")), `href="(/home/orders/\d+)"`)
	r := buyer.get("http://store1001.portico.test"+order+"?before=1&auth_code_=canary", "Referer",
		"https://search.example.org/?q=13800000001")
	to, err := url.Parse(reported(text(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{
		"idsite": {"3"}, "rec": {"1"}, "apiv": {"1"}, "lang": {"zh"}, "action_name": {"金穗粮油"},
		"url": {"http://store1001.portico.test/home/orders/id"}, "urlref": {"https://search.example.org"},
	}
	if to.Query().Encode() != want.Encode() || to.Host != "matomo.example.com" {
		t.Errorf("reported %s", to)
	}
	for from, want := range map[string]string{
		"https://SEARCH.example.org:8443/x": "https://search.example.org", "http://store1001.portico.test/login": "",
		"http://account.portico.test/":          "",
		"https://user:word@search.example.org/": "https://search.example.org", "javascript:alert(1)": "",
		"https://": "", "https://a b/": "",
		`https://x"><script>/`: "",
	} {
		page := text(t, s.browser().get("http://store1001.portico.test/login", "Referer", from))
		to, err := url.Parse(reported(page))
		if err != nil || to.Query().Get("urlref") != want ||
			to.Query().Get("url") != "http://store1001.portico.test/login" {
			t.Errorf("from %s: %s, %v", from, to, err)
		}
	}
}

func TestAToolThatTakesOnlyPostsIsAllowedForTheScriptAlone(t *testing.T) {
	s := newSite(t, options{counters: []string{"plausible.io"}})
	s.counting("https://plausible.io/api/event?domain=shop.example.com")
	r := s.browser().get("http://store1001.portico.test/login")
	page, policy := text(t, r), r.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "connect-src 'self' https://plausible.io;") ||
		strings.Count(policy, "plausible") != 1 || reported(page) != "" {
		t.Errorf("%s\n%s", policy, reported(page))
	}
}

func TestACompanyWithoutStatisticsHasTheSamePagesAsBefore(t *testing.T) {
	s := newSite(t, options{counters: []string{"count.example.com"}})
	before := map[string]string{}
	for _, address := range []string{
		"http://store1002.portico.test/login", "http://account.portico.test/login",
		"http://store1002.portico.test/agreement",
		"http://store1002.portico.test/none", "http://unknown.example/login",
	} {
		r := s.browser().get(address)
		before[address] = text(t, r) + r.Header.Get("Content-Security-Policy")
	}
	s.counting(plainCounter)
	for address, was := range before {
		r := s.browser().get(address)
		if is := text(t, r) + r.Header.Get("Content-Security-Policy"); is != was || strings.Contains(is, "report") {
			t.Errorf("%s changed", address)
		}
	}
	s.counting("https://evil.example.com/p") // a host that is on the list no more
	r := s.browser().get("http://store1001.portico.test/login")
	if page := text(t, r); strings.Contains(page, "evil") ||
		strings.Contains(r.Header.Get("Content-Security-Policy"), "evil") {
		t.Error("an address at another host is reported to")
	}
}

func TestAFormThatIsShownAgainIsNotCountedAsAView(t *testing.T) {
	s := newSite(t, options{counters: []string{"count.example.com"}})
	s.counting(plainCounter)
	b := s.browser()
	page := wantPage(t, b.post("http://store1001.portico.test/login", "phone", "123"), http.StatusUnprocessableEntity)
	if to := reported(page); to != "" {
		t.Errorf("reported to %s", to)
	}
}

func TestAnAdministratorSeesWhatStatisticsSendBeforeTheyAreOn(t *testing.T) {
	s := newSite(t, options{counters: []string{"matomo.example.com", "plausible.io"}})
	admin := s.within("13800000002")
	const address = "https://matomo.example.com/matomo.php?idsite=3"
	box := `name="view_count_agreed" value="` + address + `"`
	wantPage(t, admin.get(lookPath), http.StatusOK, `name="view_count"`, "matomo.example.com, plausible.io")
	for _, action := range []string{"preview", "save"} {
		status := map[string]int{"preview": http.StatusOK, "save": http.StatusUnprocessableEntity}[action]
		page := wantPage(t, admin.sendLook(nil, "view_count", address, "action", action), status, box,
			"GET https://matomo.example.com/matomo.php?action_name=")
		sent := html.UnescapeString(found(t, page, `<code>GET (https://matomo[^<]*)</code>`))
		if !strings.Contains(sent, "url=http%3A%2F%2Fstore1001.portico.test%2Flogin&") {
			t.Errorf("the example is %s", sent)
		}
	}
	wantTo(t, admin.sendLook(nil, "view_count", address, "view_count_agreed", address, "action", "save"),
		"/mgr/settings/appearance?done=saved")
	s.clock = s.clock.Add(2 * time.Second)
	if page := text(t, admin.get(lookPath)); strings.Contains(page, box) ||
		!strings.Contains(page, "GET https://matomo.example.com") {
		t.Error("what is on is shown without a box")
	}
	if page := text(t, s.browser().get("http://store1001.portico.test/login", "Referer",
		"https://www.example.com/x")); !strings.Contains(page, "matomo.php?action_name=") {
		t.Error("nothing is reported")
	}
	wantPage(t, admin.sendLook(nil, "view_count", "https://plausible.io/api/event?domain=shop.example", "action",
		"preview"), http.StatusOK,
		"POST https://plausible.io/api/event", "&#34;domain&#34;:&#34;shop.example&#34;")
	wantPage(t, admin.sendLook(nil, "view_count", "https://evil.test/x", "action", "save"),
		http.StatusUnprocessableEntity, `href="#view_count"`, "https://evil.test/x")
}

func TestTheMobileSitesAndACompanysOwnDomainReportToo(t *testing.T) {
	s := newSite(t, options{counters: []string{"matomo.example.com"}})
	shopper, office := s.inApp(androidApp), s.inApp(androidApp)
	shopper.arrive("13800000001")
	office.arrive("13800000002")
	s.counting("https://matomo.example.com/matomo.php?idsite=3")
	for _, c := range []struct {
		who           *browser
		address, want string
	}{
		{shopper, "http://m.portico.test/shop", "http://m.portico.test/shop"},
		{shopper, "http://m.portico.test/shop/orders", "http://m.portico.test/shop/orders"},
		{office, "http://mgr.portico.test/home", "http://mgr.portico.test/home"},
		{office, "http://mgr.portico.test/home/people", "http://mgr.portico.test/home/people"},
		{s.browser(), "http://jinsui.test/login", "http://jinsui.test/login"},
		{s.browser(), "http://astore1001.portico.test/login", "http://store1001.portico.test/login"},
	} {
		to, err := url.Parse(reported(text(t, c.who.get(c.address))))
		if err != nil || to.Query().Get("url") != c.want {
			t.Errorf("%s is reported as %s, %v", c.address, to, err)
		}
	}
}
