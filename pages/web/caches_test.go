package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/pages/web"
	"portico/store"
)

// Only the browser may store a response that differs by host, language, cookie or device. Shared caches may store the
// files whose address changes with their content. These set no cookie.
func TestSharedCachesMayStoreOnlyFilesNamedByTheirContent(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	const host = "https://store1001.portico.test"
	admin := s.Browser()
	admin.SignIn("account.portico.test", "13800000003")
	ask := func(method, address string, headers ...string) *http.Response {
		return s.Browser().Do(method, address, nil, headers...)
	}
	form := url.Values{"menu": {strings.Repeat("x", 100_000)}}
	forged := []string{"X-Forwarded-Host", "store1002.portico.test", "Forwarded", "host=store1002.portico.test"}
	for name, c := range map[string]struct {
		r      *http.Response
		status int
	}{
		"a new visitor's sign-in":   {ask("GET", host+"/login"), 200},
		"its head":                  {ask("HEAD", host+"/login?lang=es"), 200},
		"for a forged host":         {ask("GET", host+"/login", forged...), 200},
		"in WeChat":                 {ask("GET", host+"/login", "User-Agent", pagestest.InWeChat), 200},
		"a part of it":              {ask("GET", host+"/login", "Range", "bytes=0-9"), 200},
		"of somebody signed in":     {admin.Get("https://account.portico.test/login"), 200},
		"a page":                    {ask("GET", host+"/agreement"), 200},
		"a redirect":                {ask("GET", host+"/company"), 303},
		"a style sheet that is not": {ask("GET", host+"/login/x.css"), 404},
		"a parameter in the path":   {ask("GET", host+"/login;.css"), 404},
		"two slashes":               {ask("GET", host+"//login"), 404},
		"a file that is not":        {ask("GET", host+"/assets/../login"), 404},
		"the same in disguise":      {ask("GET", host+"/assets/%2e%2e/login"), 404},
		"a method":                  {ask("PUT", host+"/login"), 405},
		"a type":                    {ask("POST", host+"/seen", "Content-Type", "application/json"), 415},
		"too much":                  {s.Browser().Do("POST", host+"/seen", form), 413},
		"from elsewhere":            {ask("POST", host+"/seen", "Sec-Fetch-Site", "cross-site"), 403},
		"a choice":                  {ask("POST", host+"/seen"), 204},
		"robots":                    {ask("GET", host+"/robots.txt"), 200},
		"the sitemap":               {ask("GET", host+"/sitemap.xml?lang=en"), 200},
		"regions":                   {ask("GET", host+"/regions.json?parent=440000&lang=en"), 200},
		"a picture that was":        {ask("GET", host+"/share/0.png"), 302},
		"an icon that is not":       {ask("GET", host+"/icon/0.png"), 404},
	} {
		cache, vary := c.r.Header.Get("Cache-Control"), c.r.Header.Get("Vary")
		if c.r.StatusCode != c.status || cache != "no-store" && !strings.HasPrefix(cache, "private") {
			t.Errorf("%s: %d %q, want %d", name, c.r.StatusCode, cache, c.status)
		}
		if page := strings.HasPrefix(c.r.Header.Get("Content-Type"), "text/html"); page &&
			vary != web.PageVary {
			t.Errorf("%s varies by %q", name, vary)
		}
	}
	for address, want := range map[string]string{
		"/login": "GET, HEAD, POST", "/robots.txt": "GET, HEAD", "/seen": "POST", "/assets/app.css": "GET, HEAD",
	} {
		if got := ask("PUT", host+address).Header.Get("Allow"); got != want {
			t.Errorf("%s allows %q", address, got)
		}
	}
	page := pagestest.Text(t, s.Browser().Get(host+"/login"))
	picture := pagestest.ReadHead(t, page).Graph["image"][0]
	r := ask("GET", picture+"?lang=es")
	if pagestest.WantStatus(t, r, http.StatusOK); !strings.HasPrefix(r.Header.Get("Cache-Control"), "public") ||
		r.Header.Get("Set-Cookie") != "" {
		t.Errorf("%v", r.Header)
	}
}

// A company has several hosts, and the cache stores its sign-in page by company.
func TestEachHostOfACompanyHasItsOwnCanonicalAddress(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	if _, err := s.DB.Hosts.Verify(t.Context(), 1001, "shop.example.org", "", store.At(s.Clock)); err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"shop.example.org", "store1001.portico.test", "shop.example.org"} {
		h := pagestest.ReadHead(t, pagestest.Text(t, s.Browser().Get("https://"+host+"/login")))
		if h.Canonical != "https://"+host+"/login" || !strings.HasPrefix(h.Graph["image"][0], "https://"+host+"/") {
			t.Errorf("%s has the canonical address %s", host, h.Canonical)
		}
	}
}
