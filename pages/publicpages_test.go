package pages_test

import (
	"encoding/json"
	"encoding/xml"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/portal/onboarding"
	"portico/store"
)

// head is what machines are told of a page.
type head struct {
	canonical  string
	alternates map[string]string
	graph      map[string][]string
	data       map[string]any
}

var headTag = regexp.MustCompile(`<(?:link rel="(canonical|alternate)"(?: hreflang="([^"]+)")? href="([^"]+)"|meta property="og:([^"]+)" content="([^"]*)")`)

func headOf(t testing.TB, page string) head {
	t.Helper()
	h := head{alternates: map[string]string{}, graph: map[string][]string{}}
	for _, m := range headTag.FindAllStringSubmatch(page, -1) {
		switch {
		case m[1] == "canonical":
			h.canonical = html.UnescapeString(m[3])
		case m[1] == "alternate":
			h.alternates[m[2]] = html.UnescapeString(m[3])
		default:
			h.graph[m[4]] = append(h.graph[m[4]], html.UnescapeString(m[5]))
		}
	}
	if data := found(t, page, `<script type="application/ld\+json">([^<]*)</script>`); json.Unmarshal([]byte(data), &h.data) != nil {
		t.Errorf("the data is no JSON: %s", data)
	}
	return h
}

func TestPublicPagesNameTheirAddressAndLanguages(t *testing.T) {
	s := newSite(t, options{production: true})
	const account, sea = "https://account.portico.test", "https://store1002.portico.test"
	for _, c := range []struct{ asked, lang, canonical, own, title string }{
		{"https://portico.test/login", "zh", account + "/login", "zh", "登录 - Portico 订货平台"},
		{"https://account.portico.test/", "es", account + "/login?lang=es", "zh", "Iniciar sesión - Portico"},
		{"https://unknown.test/login", "en", account + "/login?lang=en", "zh", "Sign in - Portico"},
		{"https://account.portico.test/register", "en", account + "/register?lang=en", "zh", "Register - Portico"},
		{"https://account.portico.test/experience", "zh", account + "/experience", "zh", "体验 - Portico 订货平台"},
		{"https://account.portico.test/agreement", "es", account + "/agreement?lang=es", "zh", "Condiciones del servicio - Portico"},
		{"https://store1002.portico.test/login", "es", sea + "/login", "es", "Iniciar sesión - Mariscos del Sur"},
		{"https://astore1002.portico.test/login", "zh", sea + "/login?lang=zh", "es", "登录 - Mariscos del Sur"},
		{"https://store1002.portico.test/agreement", "es", account + "/agreement?lang=es", "zh", "Condiciones del servicio - Mariscos del Sur"},
		{"https://store1001.portico.test/register/more", "zh", "https://store1001.portico.test/register/more", "zh", ""},
	} {
		page := text(t, s.browser().get(c.asked+"?lang="+c.lang+"&u=7&evil=%22%3E"))
		h := headOf(t, page)
		if h.canonical != c.canonical || h.graph["url"][0] != c.canonical || strings.Contains(page, "evil") && strings.Contains(strings.Join(slices.Concat(h.graph["url"], h.graph["image"]), ""), "evil") {
			t.Errorf("%+v: %s", c, h.canonical)
		}
		plain, _, _ := strings.Cut(c.canonical, "?")
		for _, l := range []string{"zh", "es", "en"} {
			want := plain + "?lang=" + l
			if l == c.own {
				want = plain
			}
			if h.alternates[l] != want {
				t.Errorf("%+v: %s is at %s, want %s", c, l, h.alternates[l], want)
			}
		}
		if h.alternates["x-default"] != plain || len(h.alternates) != 4 {
			t.Errorf("%+v: %v", c, h.alternates)
		}
		if c.title != "" && h.graph["title"][0] != c.title {
			t.Errorf("%+v: %s", c, h.graph["title"])
		}
		if locales := append(h.graph["locale"], h.graph["locale:alternate"]...); locales[0][:2] != c.lang || len(locales) != 3 {
			t.Errorf("%+v: %v", c, locales)
		}
		if strings.Contains(page, `content="noindex"`) || !strings.Contains(page, `<meta name="description" content="`+html.EscapeString(h.graph["description"][0])+`"`) {
			t.Errorf("%+v: noindex, or two descriptions", c)
		}
	}
}

func TestWhatIsNotForEverybodyIsNotForSearchEnginesEither(t *testing.T) {
	s := newSite(t, options{production: true})
	for _, address := range []string{
		"https://account.portico.test/login/account", "https://account.portico.test/login/code", "https://account.portico.test/forget", "https://account.portico.test/jumperror",
		"https://account.portico.test/nothing", "https://m.portico.test/agreement", "https://mgr.portico.test/agreement", "https://account.portico.test/agreement?version=1999-01-01",
		"https://store1004.portico.test/login",
	} {
		if page := text(t, s.browser().get(address)); !strings.Contains(page, `<meta name="robots" content="noindex">`) {
			t.Errorf("%s may be kept", address)
		}
	}
	if got := s.browser().get("https://account.portico.test/regions.json").Header.Get("X-Robots-Tag"); got != "noindex" {
		t.Error(got)
	}
}

func TestTheSignInPageOfABrowserStaysAsLightAsItWas(t *testing.T) {
	s := newSite(t, options{production: true})
	const page = "https://store1001.portico.test/login"
	brief := text(t, s.browser().get(page, "Sec-Fetch-Dest", "document"))
	for _, agent := range []string{desktopAgent, "facebookexternalhit/1.1", "Mozilla/5.0 (compatible; Baiduspider/2.0)", "Mozilla/5.0 (compatible; Googlebot/2.1)"} {
		b := s.browser()
		b.agent = agent
		full := text(t, b.get(page))
		from, to := strings.Index(full, `<link rel="canonical"`), strings.Index(full, "</script>")+len("</script>")
		if from < 0 || strings.Contains(brief, "og:") {
			t.Fatal(agent, "is told nothing, or browsers are")
		}
		described := regexp.MustCompile(`<meta name="description" content="[^"]*">`)
		if described.ReplaceAllString(full[:from]+full[to:], "") != described.ReplaceAllString(brief, "") {
			t.Error("what is shown differs")
		}
	}
	b := s.browser()
	b.agent = "Mozilla/5.0 (Macintosh) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0"
	if !strings.Contains(text(t, b.get(page, "Sec-Fetch-Dest", "document")), "og:image") {
		t.Error("a preview that is fetched by a browser's engine has no picture")
	}
	first := s.browser().get(page)
	if again := s.browser().get(page, "If-None-Match", first.Header.Get("Etag"), "Sec-Fetch-Dest", "document"); again.StatusCode != http.StatusOK {
		t.Error("one form stands for the other")
	}
}

func TestAHostileCompanyNameStaysAName(t *testing.T) {
	s := newSite(t, options{production: true})
	const name = `</script><script>alert(1)</script>"&'<!--` + "\u2028"
	c, err := s.db.CompanyByID(t.Context(), 1001)
	if err != nil {
		t.Fatal(err)
	}
	c.Name, c.UpdatedAt = name, c.UpdatedAt+1
	if err := s.db.UpdateCompany(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/login", "/agreement", "/register/more"} {
		page := text(t, s.browser().get("https://store1001.portico.test"+path))
		if strings.Contains(page, "<script>alert") || strings.Contains(page, "<!--") {
			t.Errorf("%s: %s", path, page[:2000])
		}
		h := headOf(t, page)
		if site := h.data["@graph"].([]any)[0].(map[string]any); site["name"] != name || site["@type"] != "Organization" || h.graph["site_name"][0] != name {
			t.Errorf("%s: %v", path, site)
		}
	}
}

func TestRobotsSeeWhatIsForEverybody(t *testing.T) {
	s := newSite(t, options{production: true})
	const nothing = "User-agent: *\nDisallow: /\n"
	for host, sitemap := range map[string]string{
		"portico.test": "https://account.portico.test", "account.portico.test": "https://account.portico.test", "unknown.test": "https://account.portico.test",
		"store1001.portico.test": "https://store1001.portico.test", "bstore1002.portico.test": "https://store1002.portico.test",
		"m.portico.test": "", "am.portico.test": "", "mgr.portico.test": "", "store1004.portico.test": "",
	} {
		r := s.browser().get("https://" + host + "/robots.txt")
		said := text(t, r)
		if r.Header.Get("Content-Type") != "text/plain; charset=utf-8" || len(r.Cookies()) != 0 {
			t.Errorf("%s: %v", host, r.Header)
		}
		if sitemap == "" {
			if said != nothing {
				t.Errorf("%s: %s", host, said)
			}
			wantStatus(t, s.browser().get("https://"+host+"/sitemap.xml"), http.StatusNotFound)
			continue
		}
		if !strings.Contains(said, "\nSitemap: "+sitemap+"/sitemap.xml\n") || !strings.Contains(said, "\nDisallow: /\n") {
			t.Errorf("%s: %s", host, said)
		}
		for path, allowed := range map[string]bool{
			"/": true, "/login": true, "/login?lang=es": true, "/agreement": true, "/agreement?lang=zh": true, "/assets/app.css": true, "/share/1.png": true, "/icon/1.png": true,
			"/company": false, "/register/result": false, "/register/init": false, "/accounts": false, "/home": false, "/mgr": false, "/bind": false, "/jumperror": false, "/agreement/accept": false, "/experience/role": false,
		} {
			if crawls(said, path) != allowed {
				t.Errorf("%s: %s may be fetched: %v", host, path, !allowed)
			}
		}
	}
	for _, host := range []string{"account.portico.test", "store1001.portico.test"} {
		if said := text(t, newSite(t, options{}).browser().get("http://"+host+"/robots.txt")); said != nothing {
			t.Errorf("in dev %s: %s", host, said)
		}
	}
	dev := newSite(t, options{}).browser()
	if said := text(t, dev.get("http://localhost/robots.txt")); !crawls(said, "/login") {
		t.Error("this machine's own name:", said)
	}
}

// crawls reads a robots.txt as RFC 9309 says: the longest rule that fits, of two as long the one that allows.
func crawls(robots, path string) bool {
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

func TestASitemapListsThePublicPagesOfItsHostInEveryLanguage(t *testing.T) {
	s := newSite(t, options{production: true})
	for host, want := range map[string][]string{
		"account.portico.test": {"/login", "/register", "/experience", "/agreement"}, "store1001.portico.test": {"/login", "/register/more"}, "store1003.portico.test": {"/login"},
	} {
		var m sitemap
		if err := xml.Unmarshal([]byte(text(t, s.browser().get("https://"+host+"/sitemap.xml"))), &m); err != nil {
			t.Fatal(err)
		}
		if len(m.URLs) != 3*len(want) {
			t.Errorf("%s: %d addresses", host, len(m.URLs))
		}
		for _, u := range m.URLs {
			if len(u.Links) != 4 || !strings.HasPrefix(u.Loc, "https://"+host+"/") || !slices.ContainsFunc(want, func(path string) bool { return strings.HasSuffix(strings.Split(u.Loc, "?")[0], host+path) }) {
				t.Errorf("%s: %+v", host, u)
			}
			page := text(t, s.browser().get(u.Loc))
			h := headOf(t, page)
			if h.canonical != u.Loc || strings.Contains(page, `content="noindex"`) {
				t.Errorf("%s says that it is at %s", u.Loc, h.canonical)
			}
			for _, link := range u.Links {
				if link.Rel != "alternate" || h.alternates[link.Lang] != link.Href {
					t.Errorf("%s: %+v, the page says %s", u.Loc, link, h.alternates[link.Lang])
				}
			}
		}
	}
	if r := s.browser().get("https://astore1001.portico.test/sitemap.xml"); r.StatusCode != http.StatusFound || r.Header.Get("Location") != "https://store1001.portico.test/sitemap.xml" {
		t.Error(r.StatusCode, r.Header.Get("Location"))
	}
}

func TestACompanysOwnDomainIsItsAddress(t *testing.T) {
	s := newSite(t, options{production: true})
	if _, err := s.db.VerifyHost(t.Context(), 1001, "shop.example.org", "", store.At(s.clock)); err != nil {
		t.Fatal(err)
	}
	canonical := func(host string) string {
		return headOf(t, text(t, s.browser().get("https://"+host+"/login"))).canonical
	}
	for range 2 { // the pages are kept in memory: each host has its own
		for _, host := range []string{"store1001.portico.test", "shop.example.org"} {
			if got := canonical(host); got != "https://"+host+"/login" {
				t.Errorf("%s: %s", host, got)
			}
		}
	}
	c, _ := s.db.CompanyByID(t.Context(), 1001)
	c.PCDomain, c.UpdatedAt = "https://shop.example.org", c.UpdatedAt+1
	if err := s.db.UpdateCompany(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.clock = s.clock.Add(2e9)
	for _, host := range []string{"shop.example.org", "store1001.portico.test", "astore1001.portico.test"} {
		if got := canonical(host); got != "https://shop.example.org/login" {
			t.Errorf("%s: %s", host, got)
		}
	}
	if said := text(t, s.browser().get("https://shop.example.org/robots.txt")); !strings.Contains(said, "Sitemap: https://shop.example.org/sitemap.xml") {
		t.Error(said)
	}
	c.PCDomain, c.UpdatedAt = "https://shop.example.org:8443", c.UpdatedAt+1 // the port that the outside sees
	if err := s.db.UpdateCompany(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.clock = s.clock.Add(2e9)
	wantPage(t, s.browser().get("https://shop.example.org/sitemap.xml"), http.StatusOK, "<loc>https://shop.example.org:8443/login</loc>")
}

func TestAPageThatWouldRefuseIsInNoSitemap(t *testing.T) {
	s := newSite(t, options{production: true})
	const host = "https://store1001.portico.test"
	wantPage(t, s.browser().get(host+"/sitemap.xml"), http.StatusOK, host+"/register/more")
	c, _ := s.db.CompanyByID(t.Context(), 1001)
	c.EndsAt, c.UpdatedAt = store.At(s.clock), c.UpdatedAt+1
	if err := s.db.UpdateCompany(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.clock = s.clock.Add(2e9)
	wantStatus(t, s.browser().get(host+"/register/more"), http.StatusUnprocessableEntity)
	if listed := wantPage(t, s.browser().get(host+"/sitemap.xml"), http.StatusOK, host+"/login"); strings.Contains(listed, "/register/more") {
		t.Error(listed)
	}
}

func TestASandboxIsNotFound(t *testing.T) {
	s := newSite(t, options{production: true})
	id, err := s.db.AddCompany(t.Context(), store.Company{Name: "试用", Language: "zh", Standing: store.Trial, EndsAt: store.At(s.clock.Add(onboarding.SandboxLife)), Mall: store.MallOpen, Sandbox: true, CreatedAt: store.At(s.clock), UpdatedAt: store.At(s.clock)})
	if err != nil {
		t.Fatal(err)
	}
	host := "https://store" + decimal(id) + ".portico.test"
	if !strings.Contains(text(t, s.browser().get(host+"/login")), `content="noindex"`) || strings.Contains(text(t, s.browser().get(host+"/robots.txt")), "Allow") {
		t.Error("search engines may come")
	}
}

func TestAnotherLanguageOfAPageIsTheSamePage(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.signIn("account.portico.test", "13800000003")
	const account = "http://account.portico.test"
	for path, kept := range map[string]string{
		"/jumperror?reason=wechat_expired&by=wechat": "/jumperror?reason=wechat_expired&amp;by=wechat&amp;lang=es", "/jumperror?reason=wechat_failed&by=evil": "/jumperror?reason=wechat_failed&amp;lang=es",
		"/jumperror?reason=evil&by=wechat": "/jumperror?lang=es", "/company?q=%26lang%3Dzh%22": "/company?q=%26lang%3Dzh%22&amp;lang=es",
		"/company?all=1": "/company?all=1&amp;lang=es", "/agreement?version=2026-11-01&u=7": "/agreement?lang=es",
	} {
		page := wantPage(t, b.get(account+path), http.StatusOK, `href="`+kept+`"`)
		if strings.Contains(page, "evil") {
			t.Errorf("%s: what was made up is on the page", path)
		}
	}
}
