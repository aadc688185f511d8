package lostanswer

import (
	"net/http"
	"os"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
	"portico/tools/badline"
)

// startWithoutAutomation starts a browser without the automation switch. Only such a browser retries by itself after a
// failure.
func startWithoutAutomation(t *testing.T) *rod.Browser {
	t.Helper()
	browser.NeedBrowser(t)
	path, _ := launcher.LookPath()
	dir, err := os.MkdirTemp("", "portico-e2e-") // short, because the browser makes sockets there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l := browser.LauncherIn(path, dir)
	l.Delete("enable-automation")
	address, err := l.Launch()
	if err != nil {
		t.Fatal(err)
	}
	chromium := rod.New().ControlURL(address).NoDefaultDevice()
	if err := chromium.Connect(); err != nil {
		l.Kill()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = chromium.Close()
		l.Cleanup()
	})
	return chromium
}

// newTabOverProxy opens a tab whose requests go through a proxy that simulates a bad connection.
func newTabOverProxy(
	t *testing.T,
	chromium *rod.Browser,
	s *program.Server,
	on browser.Screen,
) (*browser.Tab, *badline.Proxy) {
	t.Helper()
	proxy, err := badline.Start("127.0.0.1:" + s.Port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	made, err := proto.TargetCreateBrowserContext{ProxyServer: "http://" + proxy.Address(),
		ProxyBypassList: "<-loopback>"}.Call(chromium)
	if err != nil {
		t.Fatal(err)
	}
	alone := *chromium
	alone.BrowserContextID = made.BrowserContextID
	t.Cleanup(func() { _ = alone.Close() })
	return browser.NewTabIn(t, s, on, &alone), proxy
}

// The response to the redirect after signing in is lost. Chromium shows an error page and retries by itself after a
// moment.
func TestBrowserRetriesALandingWhoseResponseIsLost(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "it starts a server and a browser of its own")
	chromium := startWithoutAutomation(t)
	for _, on := range browser.Screens {
		for who, want := range map[string]browser.Arrival{
			"13800000001": {Host: "store1001", Path: "/home", Holder: "王芳", Company: "金穗粮油"},
			"13800000002": {Host: "store1001", Path: "/mgr", Holder: "陈静", Company: "金穗粮油"},
		} {
			if on.Mobile {
				want.Host, want.Path = map[string]string{"/home": "m", "/mgr": "mgr"}[want.Path],
					map[string]string{"/home": "/shop", "/mgr": "/home"}[want.Path]
			}
			t.Run(on.Name+" "+want.Host+want.Path, func(t *testing.T) {
				b, proxy := newTabOverProxy(t, chromium, browser.Normal, on)
				b.Visit("account", "/login")
				b.Fill("phone", who)
				b.Fill("password", program.Password)
				proxy.Add(badline.Rule{Fault: badline.LoseAnswer,
					Match: func(r *http.Request) bool { return r.URL.Query().Has("auth_code_") }})
				b.Press(steps.SignInButton)
				b.Await("the page behind the lost answer",
					`want => location.href === want && document.readyState === "complete"`,
					b.Server.URL(want.Host, want.Path))
				b.WantArrived(want)
				if hits, _ := proxy.Hits(); hits != 1 {
					t.Errorf("%d answers were lost, want 1", hits)
				}
				b.Reload()
				b.WantArrived(want)
			})
		}
	}
}
