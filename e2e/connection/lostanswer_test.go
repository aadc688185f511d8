package e2e

import (
	"net/http"
	"os"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/proto"

	"portico/badline"
)

// unattended is a browser without the automation switch: only such a browser retries by itself after a failure.
func unattended(t *testing.T) *rod.Browser {
	t.Helper()
	needBrowser(t)
	path, _ := launcher.LookPath()
	dir, err := os.MkdirTemp("", "portico-e2e-") // short, because the browser makes sockets there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l := launcherIn(path, dir)
	l.Delete("enable-automation")
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

// badTab is a tab of a browser whose requests go through a proxy that simulates a bad connection.
func badTab(t *testing.T, browser *rod.Browser, s *site, on screen) (*tab, *badline.Proxy) {
	t.Helper()
	proxy, err := badline.Start("127.0.0.1:" + s.port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	made, err := proto.TargetCreateBrowserContext{ProxyServer: "http://" + proxy.Address(),
		ProxyBypassList: "<-loopback>"}.Call(browser)
	if err != nil {
		t.Fatal(err)
	}
	alone := *browser
	alone.BrowserContextID = made.BrowserContextID
	t.Cleanup(func() { _ = alone.Close() })
	return tabOf(t, s, on, &alone), proxy
}

// The response to the redirect after signing in is lost. Chromium shows an error page and retries by itself after a
// moment.
func TestTheBrowserRetriesALandingWhoseResponseIsLost(t *testing.T) {
	t.Parallel()
	browser := unattended(t)
	for _, on := range screens {
		for who, want := range map[string]arrival{
			"13800000001": {"store1001", "/home", "王芳", "金穗粮油"}, "13800000002": {"store1001", "/mgr", "陈静", "金穗粮油"},
		} {
			if on.mobile {
				want.host, want.path = map[string]string{"/home": "m", "/mgr": "mgr"}[want.path],
					map[string]string{"/home": "/shop", "/mgr": "/home"}[want.path]
			}
			t.Run(on.name+" "+want.host+want.path, func(t *testing.T) {
				b, proxy := badTab(t, browser, normal, on)
				b.visit("account", "/login")
				b.fill("phone", who)
				b.fill("password", password)
				proxy.Add(badline.Rule{Fault: badline.LoseAnswer,
					Match: func(r *http.Request) bool { return r.URL.Query().Has("auth_code_") }})
				b.press(signInButton)
				b.await("the page behind the lost answer",
					`want => location.href === want && document.readyState === "complete"`,
					b.site.at(want.host, want.path))
				b.wantArrived(want)
				if hits, _ := proxy.Hits(); hits != 1 {
					t.Errorf("%d answers were lost, want 1", hits)
				}
				b.reload()
				b.wantArrived(want)
			})
		}
	}
}
