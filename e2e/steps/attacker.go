package steps

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
)

// StartTLSServer starts a server of its own at https://portico.test. As in production, browsers treat its hosts as one
// site.
func StartTLSServer(t *testing.T) *program.Server {
	t.Helper()
	browser.NeedBrowser(t)
	front := httptest.NewUnstartedServer(nil)
	_, port, _ := net.SplitHostPort(front.Listener.Addr().String())
	dir := filepath.Join(t.TempDir(), "site")
	s, err := program.Start(browser.Normal.Command.Path, dir, "off", "PORTICO_BASE=https://portico.test:"+port)
	if err != nil {
		t.Fatal(err)
	}
	s.Scheme, s.Base = "https", "portico.test:"+port
	inside := &url.URL{Scheme: "http", Host: "127.0.0.1:" + s.Port}
	front.Config.Handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(inside)
		r.Out.Host = r.In.Host
	}}
	front.StartTLS()
	t.Cleanup(func() {
		defer s.Kill()
		front.CloseClientConnections()
		front.Close()
		s.Scheme = "http" // requests at the end go straight to the program
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// StartForeignSite starts a page of another site. page returns its URL; the page sends its visitors to a URL in one of
// the ways "redirect", "form", "no referrer" and "location".
func StartForeignSite(t *testing.T) (page func(to, how string) string) {
	t.Helper()
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, how := r.URL.Query().Get("to"), r.URL.Query().Get("how")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch how {
		case "redirect":
			http.Redirect(w, r, to, http.StatusFound)
		case "form":
			action, query, _ := strings.Cut(to, "?")
			values, _ := url.ParseQuery(query)
			fmt.Fprintf(w, `<form action=%q>`, action)
			for name := range values {
				fmt.Fprintf(w, `<input type="hidden" name=%q value=%q>`, name, values.Get(name))
			}
			fmt.Fprint(w, `</form><script>document.forms[0].submit()</script>`)
		case "no referrer":
			fmt.Fprintf(w, `<meta name="referrer" content="no-referrer"><script>location = %q</script>`, to)
		default:
			fmt.Fprintf(w, `<script>location = %q</script>`, to)
		}
	}))
	t.Cleanup(evil.Close)
	_, port, _ := net.SplitHostPort(evil.Listener.Addr().String())
	return func(to, how string) string {
		return "http://evil.test:" + port + "/?" + url.Values{"to": {to}, "how": {how}}.Encode()
	}
}

// AttackerLink signs an attacker in and returns the URL with the unused auth code.
func AttackerLink(t *testing.T, s *program.Server, who string) string {
	t.Helper()
	path, name := program.SignInPage(who)
	form := url.Values{name: {who}, "password": {program.Password}, "width": {"1280"}}
	r, err := http.NewRequest(http.MethodPost, "http://127.0.0.1:"+s.Port+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "account." + s.Base
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	link := answer.Header.Get("Location")
	if answer.StatusCode == http.StatusOK { // a page leads to a company's own domain by itself
		body, _ := io.ReadAll(answer.Body)
		_, rest, _ := strings.Cut(string(body), `http-equiv="refresh" content="0;url=`)
		link, _, _ = strings.Cut(strings.ReplaceAll(rest, "&amp;", "&"), `"`)
	}
	if !strings.Contains(link, "auth_code_=") {
		t.Fatalf("status %d, location %q", answer.StatusCode, link)
	}
	return link
}
