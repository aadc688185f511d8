package web_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/store"
)

const PlainCounter = "https://count.example.com/p"

var ReportTag = regexp.MustCompile(`<img class="report" loading="lazy" src="([^"]*)" alt="" width="1" height="1" ` +
	`referrerpolicy="no-referrer" crossorigin="anonymous">`)

// reportOf returns the address to which a page reports its view, "" for none.
func reportOf(page string) string {
	if tag := ReportTag.FindStringSubmatch(page); tag != nil {
		return html.UnescapeString(tag[1])
	}
	return ""
}

func TestEveryPageOfACompanyReportsItsViews(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Counters: []string{"count.example.com"}})
	admin, buyer, visitor, member := s.SignInByPhone("13800000002"), s.SignInByPhone("13800000001"), s.Browser(),
		s.Browser()
	pagestest.WantStatus(t, member.SignIn("store1001.portico.test", "13800000003"), http.StatusSeeOther)
	setStatisticsAddress(s, PlainCounter)
	order := pagestest.FindIn(t, pagestest.Text(t, buyer.Get("http://store1001.portico.test/home/orders")),
		`href="(/home/orders/\d+)"`)
	person := pagestest.FindIn(t, pagestest.Text(t, admin.Get(pagestest.Office+"/people")), `href="(/mgr/people/\d+)"`)
	for _, c := range []struct {
		who  *pagestest.Browser
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
		r := c.who.Get("http://store1001.portico.test" + c.path)
		page, policy := pagestest.Text(t, r), r.Header.Get("Content-Security-Policy")
		if to := reportOf(page); to != PlainCounter+"/1001/"+c.want ||
			strings.Count(page, "img class=\"report\"") != 1 {
			t.Errorf("%s (%d) reports to %q", c.path, r.StatusCode, to)
		}
		if !strings.Contains(policy, "img-src 'self' data: https://count.example.com;") ||
			strings.Count(policy, "count.example.com") != 1 {
			t.Errorf("%s: %s", c.path, policy)
		}
	}
}

func TestReportContainsThePageAndNoPersonalData(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Counters: []string{"matomo.example.com"}})
	buyer := s.SignInByPhone("13800000001")
	setStatisticsAddress(s, "https://matomo.example.com/matomo.php?idsite=3")
	order := pagestest.FindIn(t, pagestest.Text(t, buyer.Get("http://store1001.portico.test/home/orders")),
		`href="(/home/orders/\d+)"`)
	r := buyer.Get("http://store1001.portico.test"+order+"?before=1&auth_code_=canary", "Referer",
		"https://search.example.org/?q=13800000001")
	to, err := url.Parse(reportOf(pagestest.Text(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{
		"idsite": {"3"}, "rec": {"1"}, "apiv": {"1"}, "lang": {"zh"}, "action_name": {"我的订单 - 金穗粮油"},
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
		page := pagestest.Text(t, s.Browser().Get("http://store1001.portico.test/login", "Referer", from))
		to, err := url.Parse(reportOf(page))
		if err != nil || to.Query().Get("urlref") != want ||
			to.Query().Get("url") != "http://store1001.portico.test/login" {
			t.Errorf("from %s: %s, %v", from, to, err)
		}
	}
}

func TestPostReportsAreAllowedOnlyForTheScript(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Counters: []string{"plausible.io"}})
	setStatisticsAddress(s, "https://plausible.io/api/event?domain=shop.example.com")
	r := s.Browser().Get("http://store1001.portico.test/login")
	page, policy := pagestest.Text(t, r), r.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "connect-src 'self' https://plausible.io;") ||
		strings.Count(policy, "plausible") != 1 || reportOf(page) != "" {
		t.Errorf("%s\n%s", policy, reportOf(page))
	}
}

func TestCompanyWithoutStatisticsReportsNothing(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Counters: []string{"count.example.com"}})
	before := map[string]string{}
	for _, address := range []string{
		"http://store1002.portico.test/login", "http://account.portico.test/login",
		"http://store1002.portico.test/agreement",
		"http://store1002.portico.test/none", "http://unknown.example/login",
	} {
		r := s.Browser().Get(address)
		before[address] = pagestest.Text(t, r) + r.Header.Get("Content-Security-Policy")
	}
	setStatisticsAddress(s, PlainCounter)
	for address, want := range before {
		r := s.Browser().Get(address)
		if got := pagestest.Text(t, r) + r.Header.Get("Content-Security-Policy"); got != want ||
			strings.Contains(got, "report") {
			t.Errorf("%s changed", address)
		}
	}
	setStatisticsAddress(s, "https://evil.example.com/p") // a host that is on the list no more
	r := s.Browser().Get("http://store1001.portico.test/login")
	if page := pagestest.Text(t, r); strings.Contains(page, "evil") ||
		strings.Contains(r.Header.Get("Content-Security-Policy"), "evil") {
		t.Error("an address at another host is reported to")
	}
}

func TestFormShownAgainIsNotReported(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Counters: []string{"count.example.com"}})
	setStatisticsAddress(s, PlainCounter)
	b := s.Browser()
	page := pagestest.WantPage(t, b.Post("http://store1001.portico.test/login", "phone", "123"),
		http.StatusUnprocessableEntity)
	if to := reportOf(page); to != "" {
		t.Errorf("reported to %s", to)
	}
}

func TestAdministratorSeesAReportBeforeTurningStatisticsOn(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Counters: []string{"matomo.example.com", "plausible.io"}})
	admin := s.SignInByPhone("13800000002")
	const address = "https://matomo.example.com/matomo.php?idsite=3"
	box := `name="view_count_agreed" value="` + address + `"`
	pagestest.WantPage(t, admin.Get(pagestest.LookPath), http.StatusOK, `name="view_count"`,
		"matomo.example.com, plausible.io")
	for _, action := range []string{"preview", "save"} {
		status := map[string]int{"preview": http.StatusOK, "save": http.StatusUnprocessableEntity}[action]
		page := pagestest.WantPage(t, admin.SendLook(nil, "view_count", address, "action", action), status, box,
			"GET https://matomo.example.com/matomo.php?action_name=")
		sent := html.UnescapeString(pagestest.FindIn(t, page, `<code>GET (https://matomo[^<]*)</code>`))
		if !strings.Contains(sent, "url=http%3A%2F%2Fstore1001.portico.test%2Flogin&") {
			t.Errorf("the example is %s", sent)
		}
	}
	pagestest.WantRedirect(t, admin.SendLook(nil, "view_count", address, "view_count_agreed", address, "action",
		"save"),
		"/mgr/settings/appearance?done=saved")
	s.Clock = s.Clock.Add(2 * time.Second)
	if page := pagestest.Text(t, admin.Get(pagestest.LookPath)); strings.Contains(page, box) ||
		!strings.Contains(page, "GET https://matomo.example.com") {
		t.Error("what is on is shown without a box")
	}
	if page := pagestest.Text(t, s.Browser().Get("http://store1001.portico.test/login", "Referer",
		"https://www.example.com/x")); !strings.Contains(page, "matomo.php?action_name=") {
		t.Error("nothing is reported")
	}
	pagestest.WantPage(t, admin.SendLook(nil, "view_count", "https://plausible.io/api/event?domain=shop.example",
		"action",
		"preview"), http.StatusOK,
		"POST https://plausible.io/api/event", "&#34;domain&#34;:&#34;shop.example&#34;")
	pagestest.WantPage(t, admin.SendLook(nil, "view_count", "https://evil.test/x", "action", "save"),
		http.StatusUnprocessableEntity, `href="#view_count"`, "https://evil.test/x")
}

func TestMobileSitesAndOwnDomainsReportTheirViews(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Counters: []string{"matomo.example.com"}})
	shopper, office := s.BrowserWithAgent(pagestest.AndroidApp), s.BrowserWithAgent(pagestest.AndroidApp)
	shopper.SignInAndFollow("13800000001")
	office.SignInAndFollow("13800000002")
	setStatisticsAddress(s, "https://matomo.example.com/matomo.php?idsite=3")
	for _, c := range []struct {
		who           *pagestest.Browser
		address, want string
	}{
		{shopper, "http://m.portico.test/shop", "http://m.portico.test/shop"},
		{shopper, "http://m.portico.test/shop/orders", "http://m.portico.test/shop/orders"},
		{office, "http://mgr.portico.test/home", "http://mgr.portico.test/home"},
		{office, "http://mgr.portico.test/home/people", "http://mgr.portico.test/home/people"},
		{s.Browser(), "http://jinsui.test/login", "http://jinsui.test/login"},
		{s.Browser(), "http://astore1001.portico.test/login", "http://store1001.portico.test/login"},
	} {
		to, err := url.Parse(reportOf(pagestest.Text(t, c.who.Get(c.address))))
		if err != nil || to.Query().Get("url") != c.want {
			t.Errorf("%s is reported as %s, %v", c.address, to, err)
		}
	}
}

// setStatisticsAddress sets the address to which pages of company 1001 report their views. It fails the test when the
// database fails.
func setStatisticsAddress(s *pagestest.Site, address string) {
	s.T.Helper()
	c, err := s.DB.Companies.ByID(s.T.Context(), 1001)
	if err != nil {
		s.T.Fatal(err)
	}
	c.ViewCountURL, c.UpdatedAt = address, store.At(s.Clock)
	if err := s.DB.Companies.Update(s.T.Context(), c); err != nil {
		s.T.Fatal(err)
	}
	s.Clock = s.Clock.Add(2 * time.Second)
}
