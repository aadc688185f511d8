package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
)

// worldBrowser is a browser that resolves every name below .test to this machine.
func worldBrowser(t *testing.T) *rod.Browser {
	t.Helper()
	return resolvingBrowser(t, "MAP *.test 127.0.0.1")
}

// resolvingBrowser is a browser with rules for the names of hosts, and without a question about certificates.
func resolvingBrowser(t *testing.T, rules string) *rod.Browser {
	t.Helper()
	needBrowser(t)
	path, _ := launcher.LookPath()
	dir, err := os.MkdirTemp("", "portico-e2e-") // short, because the browser makes sockets there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l := launcherIn(path, dir).Set("host-resolver-rules", rules).Set("ignore-certificate-errors")
	address, err := l.Launch()
	if err != nil {
		t.Fatal(err)
	}
	browser := rod.New().ControlURL(address).NoDefaultDevice()
	if err := browser.Connect(); err != nil {
		l.Kill()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = browser.Close()
		l.Cleanup()
	})
	return browser
}

// behindTLS starts a platform of its own at https://portico.test, as in production: its hosts are one site.
func behindTLS(t *testing.T) *site {
	t.Helper()
	needBrowser(t)
	front := httptest.NewUnstartedServer(nil)
	_, port, _ := net.SplitHostPort(front.Listener.Addr().String())
	dir := filepath.Join(t.TempDir(), "site")
	s, err := start(normal.cmd.Path, dir, "off", "PORTICO_BASE=https://portico.test:"+port)
	if err != nil {
		t.Fatal(err)
	}
	s.scheme, s.base = "https", "portico.test:"+port
	inside := &url.URL{Scheme: "http", Host: "127.0.0.1:" + s.port}
	front.Config.Handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(inside)
		r.Out.Host = r.In.Host
	}}
	front.StartTLS()
	t.Cleanup(func() {
		defer s.kill()
		front.CloseClientConnections()
		front.Close()
		s.scheme = "http" // requests at the end go straight to the program
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// evilSite is a page at another site that sends its visitors to an address, at once or when they follow its link.
func evilSite(t *testing.T) (page func(to, how string) string) {
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

// attackersLink signs an attacker in and keeps the address with the auth code.
func (s *site) attackersLink(t *testing.T, who string) string {
	t.Helper()
	path, name := doorOf(who)
	form := url.Values{name: {who}, "password": {password}, "width": {"1280"}}
	r, err := http.NewRequest(http.MethodPost, "http://127.0.0.1:"+s.port+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "account." + s.base
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

func TestAForeignPageSignsNobodyInUnseen(t *testing.T) {
	needBrowser(t)
	text := texts(t, "zh")
	browser, page := worldBrowser(t), evilSite(t)
	for name, s := range map[string]*site{"hosts below localhost": normal, "one site with TLS": behindTLS(t)} {
		s.others = []string{"evil.test"}
		victims := map[string]struct {
			signIn func(b *tab)
			asks   string
		}{
			"a visitor": {func(*tab) {}, filled(text("asked.sign_in"), "new", "陈静 (jinsui)")},
			"signed in on account. as somebody else": {func(b *tab) {
				b.signIn("13800000003")
				b.wantAt("account", "/company")
			}, filled(text("asked.sign_in"), "new", "陈静 (jinsui)")},
			"signed in on the same host": {func(b *tab) {
				b.signIn("13800000001")
				b.wantArrived(arrival{"store1001", "/home", "王芳", "金穗粮油"})
			}, filled(text("asked.sign_in"), "new", "陈静 (jinsui)")},
			"signed in to the same side": {func(b *tab) {
				b.signIn("13800000003")
				b.visit("account", "/accounts?all=1")
				b.follow(b.accountButton("li.manager"))
				b.wantArrived(arrival{"store1001", "/mgr", "李", "金穗粮油"})
			}, text("asked.heading")},
		}
		for who, victim := range victims {
			for _, how := range []string{"location", "redirect", "form", "no referrer"} {
				t.Run(name+", "+who+", "+how, func(t *testing.T) {
					incognito, err := browser.Incognito()
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = incognito.Close() })
					b := tabOf(t, s, desktop, incognito)
					victim.signIn(b)
					b.visitURL(page(s.attackersLink(t, "13800000002"), how))
					b.wantAddress(s.at("store1001", "/mgr?asked=1"))
					b.wantText(victim.asks)
					b.wantNoText("陈静，您好")
				})
			}
		}
	}
}
