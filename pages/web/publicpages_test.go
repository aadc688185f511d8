package web_test

import (
	"encoding/xml"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
	"portico/store"
)

func TestPublicPagesStateTheirAddressInEachLanguage(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	const account, sea = "https://account.portico.test", "https://store1002.portico.test"
	for _, c := range []struct{ asked, lang, plain, title string }{
		{"https://portico.test/login", "zh", account + "/login", "登录 - Portico 订货平台"},
		{"https://account.portico.test/", "es", account + "/login", "Iniciar sesión - Portico"},
		{"https://unknown.test/login", "en", account + "/login", "Sign in - Portico"},
		{"https://account.portico.test/register", "en", account + "/register", "Register - Portico"},
		{"https://account.portico.test/experience", "zh", account + "/experience", "体验 - Portico 订货平台"},
		{"https://account.portico.test/agreement", "es", account + "/agreement", "Condiciones del servicio - Portico"},
		{"https://store1002.portico.test/login", "es", sea + "/login", "Iniciar sesión - Mariscos del Sur"},
		{"https://astore1002.portico.test/login", "zh", sea + "/login", "登录 - Mariscos del Sur"},
		{"https://store1002.portico.test/agreement", "es", account + "/agreement",
			"Condiciones del servicio - Mariscos del Sur"},
		{"https://store1001.portico.test/register/more", "zh", "https://store1001.portico.test/register/more", ""},
	} {
		page := pagestest.Text(t, s.Browser().Get(c.asked+"?lang="+c.lang+"&u=7&evil=%22%3E"))
		h, canonical := pagestest.ReadHead(t, page), c.plain+"?lang="+c.lang
		if h.Canonical != canonical || h.Graph["url"][0] != canonical ||
			strings.Contains(page, "evil") &&
				strings.Contains(strings.Join(slices.Concat(h.Graph["url"], h.Graph["image"]), ""), "evil") {
			t.Errorf("%+v: %s", c, h.Canonical)
		}
		for _, l := range []string{"zh", "es", "en"} {
			if want := c.plain + "?lang=" + l; h.Alternates[l] != want {
				t.Errorf("%+v: %s is at %s, want %s", c, l, h.Alternates[l], want)
			}
		}
		if h.Alternates["x-default"] != c.plain || len(h.Alternates) != 4 {
			t.Errorf("%+v: %v", c, h.Alternates)
		}
		if c.title != "" && h.Graph["title"][0] != c.title {
			t.Errorf("%+v: %s", c, h.Graph["title"])
		}
		if locales := append(h.Graph["locale"], h.Graph["locale:alternate"]...); locales[0][:2] != c.lang ||
			len(locales) != 3 {
			t.Errorf("%+v: %v", c, locales)
		}
		if strings.Contains(page, `content="noindex"`) ||
			!strings.Contains(page,
				`<meta name="description" content="`+html.EscapeString(h.Graph["description"][0])+`"`) {
			t.Errorf("%+v: noindex, or two descriptions", c)
		}
	}
}

// A search engine that sends a language of its own must not be told that the plain address is a copy of another one.
func TestThePlainAddressIsItsOwnCanonicalAddressForEveryReader(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	for _, address := range []string{
		"https://account.portico.test/login", "https://account.portico.test/register",
		"https://account.portico.test/experience", "https://account.portico.test/agreement",
		"https://store1001.portico.test/login", "https://store1001.portico.test/register/more",
		"https://store1002.portico.test/login",
	} {
		for _, accepted := range []string{"zh-CN", "es-MX", "en-US"} {
			for range 2 { // the second time perhaps from the cache, and after the address with ?lang=
				h := pagestest.ReadHead(t, pagestest.Text(t, s.Browser().Get(address, "Accept-Language", accepted)))
				if h.Canonical != address || h.Graph["url"][0] != address || h.Alternates["x-default"] != address {
					t.Errorf("%s in %s has the canonical address %s", address, accepted, h.Canonical)
				}
				for _, l := range []string{"zh", "es", "en"} {
					in := address + "?lang=" + l
					h := pagestest.ReadHead(t, pagestest.Text(t, s.Browser().Get(in, "Accept-Language", accepted)))
					if h.Canonical != in || h.Alternates[l] != in {
						t.Errorf("%s in %s has the canonical address %s", in, accepted, h.Canonical)
					}
				}
			}
		}
	}
}

func TestSearchEnginesMayNotIndexPrivatePages(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	for _, address := range []string{
		"https://account.portico.test/login/account", "https://account.portico.test/login/code",
		"https://account.portico.test/forget", "https://account.portico.test/jumperror",
		"https://account.portico.test/nothing", "https://m.portico.test/agreement",
		"https://mgr.portico.test/agreement", "https://account.portico.test/agreement?version=1999-01-01",
		"https://store1004.portico.test/login",
	} {
		if page := pagestest.Text(t, s.Browser().Get(address)); !strings.Contains(page,
			`<meta name="robots" content="noindex">`) {
			t.Errorf("search engines may index %s", address)
		}
	}
	regions := s.Browser().Get("https://account.portico.test/regions.json")
	if got := regions.Header.Get("X-Robots-Tag"); got != "noindex" {
		t.Error(got)
	}
}

func TestBrowsersGetTheSignInPageWithoutMetadata(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	const page = "https://store1001.portico.test/login"
	brief := pagestest.Text(t, s.Browser().Get(page, "Sec-Fetch-Dest", "document"))
	for _, agent := range []string{pagestest.DesktopAgent, "facebookexternalhit/1.1",
		"Mozilla/5.0 (compatible; Baiduspider/2.0)", "Mozilla/5.0 (compatible; Googlebot/2.1)"} {
		b := s.Browser()
		b.Agent = agent
		full := pagestest.Text(t, b.Get(page))
		from, to := strings.Index(full, `<link rel="canonical"`), strings.Index(full, "</script>")+len("</script>")
		if from < 0 || strings.Contains(brief, "og:") {
			t.Fatal(agent, "gets no metadata, or browsers get it")
		}
		described := regexp.MustCompile(`<meta name="description" content="[^"]*">`)
		if described.ReplaceAllString(full[:from]+full[to:], "") != described.ReplaceAllString(brief, "") {
			t.Error("the visible page differs")
		}
	}
	b := s.Browser()
	b.Agent = "Mozilla/5.0 (Macintosh) AppleWebKit/601.2.4 (KHTML, like Gecko) " +
		"Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0"
	if !strings.Contains(pagestest.Text(t, b.Get(page, "Sec-Fetch-Dest", "document")), "og:image") {
		t.Error("a preview that is fetched by a browser's engine has no picture")
	}
	first := s.Browser().Get(page)
	if again := s.Browser().Get(page, "If-None-Match", first.Header.Get("Etag"), "Sec-Fetch-Dest",
		"document"); again.StatusCode != http.StatusOK {
		t.Error("the page with metadata has the same tag as the page without")
	}
}

func TestHostileCompanyNameIsEscapedInMetadata(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	const name = `</script><script>alert(1)</script>"&'<!--` + "\u2028"
	c, err := s.DB.Companies.ByID(t.Context(), 1001)
	if err != nil {
		t.Fatal(err)
	}
	c.Name, c.UpdatedAt = name, c.UpdatedAt+1
	if err := s.DB.Companies.Update(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/login", "/agreement", "/register/more"} {
		page := pagestest.Text(t, s.Browser().Get("https://store1001.portico.test"+path))
		if strings.Contains(page, "<script>alert") || strings.Contains(page, "<!--") {
			t.Errorf("%s: %s", path, page[:2000])
		}
		h := pagestest.ReadHead(t, page)
		if site := h.Data["@graph"].([]any)[0].(map[string]any); site["name"] != name ||
			site["@type"] != "Organization" || h.Graph["site_name"][0] != name {
			t.Errorf("%s: %v", path, site)
		}
	}
}

func TestRobotsTxtAllowsOnlyPublicPages(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	const disallowAll = "User-agent: *\nDisallow: /\n"
	for host, sitemap := range map[string]string{
		"portico.test": "https://account.portico.test", "account.portico.test": "https://account.portico.test",
		"unknown.test":            "https://account.portico.test",
		"store1001.portico.test":  "https://store1001.portico.test",
		"bstore1002.portico.test": "https://store1002.portico.test",
		"m.portico.test":          "", "am.portico.test": "", "mgr.portico.test": "", "store1004.portico.test": "",
	} {
		r := s.Browser().Get("https://" + host + "/robots.txt")
		robots := pagestest.Text(t, r)
		if r.Header.Get("Content-Type") != "text/plain; charset=utf-8" || len(r.Cookies()) != 0 {
			t.Errorf("%s: %v", host, r.Header)
		}
		if sitemap == "" {
			if robots != disallowAll {
				t.Errorf("%s: %s", host, robots)
			}
			pagestest.WantStatus(t, s.Browser().Get("https://"+host+"/sitemap.xml"), http.StatusNotFound)
			continue
		}
		if !strings.Contains(robots, "\nSitemap: "+sitemap+"/sitemap.xml\n") ||
			!strings.Contains(robots, "\nDisallow: /\n") {
			t.Errorf("%s: %s", host, robots)
		}
		for path, allowed := range map[string]bool{
			"/": true, "/login": true, "/login?lang=es": true, "/agreement": true, "/agreement?lang=zh": true,
			"/assets/app.css": true, "/share/1.png": true, "/icon/1.png": true,
			"/company": false, "/register/result": false, "/register/init": false, "/accounts": false, "/home": false,
			"/mgr": false, "/bind": false, "/jumperror": false, "/agreement/accept": false,
			"/experience/role": false,
		} {
			if robotsAllow(robots, path) != allowed {
				t.Errorf("%s: %s may be fetched: %v", host, path, !allowed)
			}
		}
	}
	for _, host := range []string{"account.portico.test", "store1001.portico.test"} {
		if robots := pagestest.Text(t, pagestest.NewSite(t,
			pagestest.Options{}).Browser().Get("http://"+host+"/robots.txt")); robots != disallowAll {
			t.Errorf("in dev %s: %s", host, robots)
		}
	}
	dev := pagestest.NewSite(t, pagestest.Options{}).Browser()
	if robots := pagestest.Text(t, dev.Get("http://localhost/robots.txt")); !robotsAllow(robots, "/login") {
		t.Error("robots.txt on localhost:", robots)
	}
}

// robotsAllow reports whether a robots.txt allows a path. As RFC 9309 says, the longest matching rule decides, and
// Allow wins over a Disallow of the same length.
func robotsAllow(robots, path string) bool {
	long, allowed := -1, true
	for line := range strings.Lines(robots) {
		kind, rule, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if kind != "Allow" && kind != "Disallow" {
			continue
		}
		fits := strings.HasPrefix(path, rule)
		if whole, ends := strings.CutSuffix(rule, "$"); ends {
			fits = path == whole
		}
		if fits && (len(rule) > long || len(rule) == long && kind == "Allow") {
			long, allowed = len(rule), kind == "Allow"
		}
	}
	return allowed
}

// sitemap is the content of a sitemap.xml.
type sitemap struct {
	XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []struct {
		Loc   string `xml:"loc"`
		Links []struct {
			Rel  string `xml:"rel,attr"`
			Lang string `xml:"hreflang,attr"`
			Href string `xml:"href,attr"`
		} `xml:"http://www.w3.org/1999/xhtml link"`
	} `xml:"url"`
}

func TestSitemapListsThePublicPagesOfItsHostInEveryLanguage(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	for host, want := range map[string][]string{
		"account.portico.test":   {"/login", "/register", "/experience", "/agreement"},
		"store1001.portico.test": {"/login", "/register/more"}, "store1003.portico.test": {"/login"},
	} {
		var m sitemap
		if err := xml.Unmarshal([]byte(pagestest.Text(t, s.Browser().Get("https://"+host+"/sitemap.xml"))),
			&m); err != nil {
			t.Fatal(err)
		}
		if len(m.URLs) != 4*len(want) {
			t.Errorf("%s: %d addresses", host, len(m.URLs))
		}
		for _, u := range m.URLs {
			if len(u.Links) != 4 || !strings.HasPrefix(u.Loc, "https://"+host+"/") ||
				!slices.ContainsFunc(want, func(path string) bool {
					return strings.HasSuffix(strings.Split(u.Loc,
						"?")[0], host+path)
				}) {
				t.Errorf("%s: %+v", host, u)
			}
			page := pagestest.Text(t, s.Browser().Get(u.Loc))
			h := pagestest.ReadHead(t, page)
			if h.Canonical != u.Loc || strings.Contains(page, `content="noindex"`) {
				t.Errorf("%s has the canonical address %s", u.Loc, h.Canonical)
			}
			for _, link := range u.Links {
				if link.Rel != "alternate" || h.Alternates[link.Lang] != link.Href {
					t.Errorf("%s: %+v, the page says %s", u.Loc, link, h.Alternates[link.Lang])
				}
			}
		}
	}
	if r := s.Browser().Get("https://astore1001.portico.test/sitemap.xml"); r.StatusCode != http.StatusFound ||
		r.Header.Get("Location") != "https://store1001.portico.test/sitemap.xml" {
		t.Error(r.StatusCode, r.Header.Get("Location"))
	}
}

func TestOwnDomainIsTheCanonicalAddress(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	if _, err := s.DB.Hosts.Verify(t.Context(), 1001, "shop.example.org", "", store.At(s.Clock)); err != nil {
		t.Fatal(err)
	}
	canonical := func(host string) string {
		return pagestest.ReadHead(t, pagestest.Text(t, s.Browser().Get("https://"+host+"/login"))).Canonical
	}
	for range 2 { // the second time from the cache, which has a page for each host
		for _, host := range []string{"store1001.portico.test", "shop.example.org"} {
			if got := canonical(host); got != "https://"+host+"/login" {
				t.Errorf("%s: %s", host, got)
			}
		}
	}
	c, _ := s.DB.Companies.ByID(t.Context(), 1001)
	c.PCDomain, c.UpdatedAt = "https://shop.example.org", c.UpdatedAt+1
	if err := s.DB.Companies.Update(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.Clock = s.Clock.Add(2e9)
	for _, host := range []string{"shop.example.org", "store1001.portico.test", "astore1001.portico.test"} {
		if got := canonical(host); got != "https://shop.example.org/login" {
			t.Errorf("%s: %s", host, got)
		}
	}
	if robots := pagestest.Text(t, s.Browser().Get("https://shop.example.org/robots.txt")); !strings.Contains(robots,
		"Sitemap: https://shop.example.org/sitemap.xml") {
		t.Error(robots)
	}
	c.PCDomain, c.UpdatedAt = "https://shop.example.org:8443", c.UpdatedAt+1 // the public port
	if err := s.DB.Companies.Update(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.Clock = s.Clock.Add(2e9)
	pagestest.WantPage(t, s.Browser().Get("https://shop.example.org/sitemap.xml"), http.StatusOK,
		"<loc>https://shop.example.org:8443/login</loc>")
}

func TestSitemapOmitsPagesThatWouldRefuse(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	const host = "https://store1001.portico.test"
	pagestest.WantPage(t, s.Browser().Get(host+"/sitemap.xml"), http.StatusOK, host+"/register/more")
	c, _ := s.DB.Companies.ByID(t.Context(), 1001)
	c.EndsAt, c.UpdatedAt = store.At(s.Clock), c.UpdatedAt+1
	if err := s.DB.Companies.Update(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.Clock = s.Clock.Add(2e9)
	pagestest.WantStatus(t, s.Browser().Get(host+"/register/more"), http.StatusUnprocessableEntity)
	if listed := pagestest.WantPage(t, s.Browser().Get(host+"/sitemap.xml"), http.StatusOK,
		host+"/login"); strings.Contains(listed, "/register/more") {
		t.Error(listed)
	}
}

func TestSandboxIsNotIndexed(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	id, err := s.DB.Companies.Add(t.Context(), store.Company{Name: "试用", Language: "zh", Standing: store.Trial,
		EndsAt: store.At(s.Clock.Add(onboarding.SandboxLife)), Mall: store.MallOpen, Sandbox: true,
		CreatedAt: store.At(s.Clock), UpdatedAt: store.At(s.Clock)})
	if err != nil {
		t.Fatal(err)
	}
	host := "https://store" + pagestest.Decimal(id) + ".portico.test"
	if !strings.Contains(pagestest.Text(t, s.Browser().Get(host+"/login")), `content="noindex"`) ||
		strings.Contains(pagestest.Text(t, s.Browser().Get(host+"/robots.txt")), "Allow") {
		t.Error("search engines may index the sandbox")
	}
}

func TestPageInAnotherLanguageIgnoresInventedParameters(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	const account = "http://account.portico.test"
	for path, kept := range map[string]string{
		"/jumperror?reason=wechat_expired&by=wechat": "/jumperror?reason=wechat_expired&amp;by=wechat&amp;lang=es",
		"/jumperror?reason=wechat_failed&by=evil":    "/jumperror?reason=wechat_failed&amp;lang=es",
		"/jumperror?reason=evil&by=wechat":           "/jumperror?lang=es",
		"/company?q=%26lang%3Dzh%22":                 "/company?q=%26lang%3Dzh%22&amp;lang=es",
		"/company?all=1":                             "/company?all=1&amp;lang=es",
		"/agreement?version=2026-11-01&u=7":          "/agreement?lang=es",
	} {
		page := pagestest.WantPage(t, b.Get(account+path), http.StatusOK, `href="`+kept+`"`)
		if regexp.MustCompile(`\bevil\b`).MatchString(page) {
			t.Errorf("%s: the page contains an invented parameter", path)
		}
	}
}
