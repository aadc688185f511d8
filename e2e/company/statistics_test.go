package company

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// countHost is the host of a statistics tool, outside the platform.
const countHost = "count.tools.test"

// pixel is a transparent GIF of one pixel.
const pixel = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff" +
	"!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// statisticsTool is a statistics tool that keeps the requests it receives.
type statisticsTool struct {
	mu    sync.Mutex
	got   []string // requests, with headers and bodies
	paths []string // the pages that they report, or else the paths of the requests
	held  chan struct{}
}

func (c *statisticsTool) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	sent := fmt.Sprintf(
		"%s %s cookie=%s referer=%s %s", r.Method, r.URL, r.Header.Get("Cookie"), r.Header.Get("Referer"), body,
	)
	page := r.URL.Query().Get("url")
	if page == "" {
		page = r.URL.Path
	}
	if _, url, ok := strings.Cut(string(body), `"url":"`); ok {
		page, _, _ = strings.Cut(url, `"`)
	}
	c.mu.Lock()
	c.got, c.paths = append(c.got, sent), append(c.paths, page)
	held := c.held
	c.mu.Unlock()
	if held != nil {
		<-held
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "image/gif")
	_, _ = io.WriteString(w, pixel)
}

// takePages returns the pages that were reported, and forgets them.
func (c *statisticsTool) takePages() (paths []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	paths, c.paths = c.paths, nil
	return paths
}

// blockAnswers makes the tool answer no request until release is called.
func (c *statisticsTool) blockAnswers() (release func()) {
	held := make(chan struct{})
	set := func(to chan struct{}) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.held = to
	}
	set(held)
	return sync.OnceFunc(func() {
		set(nil)
		close(held)
	})
}

// startReportingTo starts a server whose company 1001 reports page views to a tool, and a browser that resolves the
// tool's host.
func startReportingTo(
	t *testing.T,
	address string,
) (*program.Server, *statisticsTool, func(on browser.Screen) *browser.Tab) {
	t.Helper()
	browser.NeedBrowser(t)
	c := &statisticsTool{}
	tool := httptest.NewTLSServer(c)
	t.Cleanup(tool.Close)
	s, err := program.Start(
		browser.Normal.Command.Path, filepath.Join(t.TempDir(), "site"), "off", "PORTICO_COUNTERS="+countHost,
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer s.Kill()
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	s.OtherHosts = append(s.OtherHosts, countHost)
	if err := s.Run("company", "set", "1001", "view_count", address); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(tool.Listener.Addr().String())
	chromium := browser.NewBrowserResolving(t, "MAP "+countHost+" 127.0.0.1:"+port)
	return s, c, func(on browser.Screen) *browser.Tab { return browser.NewTabIn(t, s, on, chromium) }
}

// awaitReport waits until a page has been reported since the last call of seen.
func awaitReport(b *browser.Tab, c *statisticsTool, page string) {
	b.T.Helper()
	for end := time.Now().Add(program.Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		c.mu.Lock()
		found := slices.Contains(c.paths, page)
		c.mu.Unlock()
		if found {
			return
		}
	}
	b.T.Errorf("%s was not reported: %q", page, c.takePages())
}

func TestStatisticsToolGetsPageViewsWithoutPersonalData(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "it starts a server and a browser of its own")
	for name, tool := range map[string]struct {
		address string
		plain   bool // without scripts
	}{
		"a picture":                 {"https://" + countHost + "/matomo.php?idsite=3", false},
		"a picture without scripts": {"https://" + countHost + "/matomo.php?idsite=3", true},
		"a POST":                    {"https://" + countHost + "/api/event?domain=shop.example.com", false},
	} {
		t.Run(name, func(t *testing.T) {
			if !tool.plain && !browser.HasScripts {
				t.Skip("the scripts are not built: npm run build")
			}
			s, c, open := startReportingTo(t, tool.address)
			b := open(browser.Desktop)
			if tool.plain {
				b.BlockScripts()
			}
			sees := func(host, path, page string) {
				t.Helper()
				c.takePages()
				b.Visit(host, path)
				awaitReport(b, c, s.URL(host, page))
			}
			for _, page := range []string{"/", "/login", "/login/account", "/login/code", "/register/more",
				"/register/complete", "/forget/phone", "/agreement", "/jumperror"} {
				sees("store1001", page, page)
			}
			sees("store1001", "/nothing-here?phone=13800000001", "/failed/404")
			sees("store1001", "/login?u=7&c=8", "/login")
			c.takePages()
			steps.SignInAt(b, "store1001", "13800000001", program.Password)
			awaitReport(b, c, s.URL("store1001", "/home"))
			sees("store1001", "/home/orders", "/home/orders")
			c.takePages()
			b.Follow(`main a[href^="/home/orders/"]`)
			awaitReport(b, c, s.URL("store1001", "/home/orders/id"))
			steps.SignOut(b)
			awaitReport(b, c, s.URL("store1001", "/login"))
			b.Visit("store1002", "/login")
			b.Visit("account", "/agreement")

			c.mu.Lock()
			defer c.mu.Unlock()
			for _, sent := range c.got {
				leaked := slices.Concat(
					program.SecretsIn(sent), program.CodesIn(sent, b.SentCodes), browser.AuthCodesIn(b, sent),
				)
				for _, canary := range []string{"13800000001", "138****0001", "王芳", "buyer1", "u=7", "nothing-here",
					"auth_code", "store1002", "account.localhost"} {
					if strings.Contains(sent, canary) {
						leaked = append(leaked, canary)
					}
				}
				if len(leaked) > 0 || !strings.Contains(sent, " cookie= referer= ") {
					t.Errorf("%q in %s", leaked, sent)
				}
			}
		})
	}
}

func TestPagesLoadWhenTheStatisticsToolNeverAnswers(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "it starts a server and a browser of its own")
	for _, address := range []string{"https://" + countHost + "/p",
		"https://" + countHost + "/api/event?domain=shop.example.com"} {
		if browser.Unavailable == "" && !browser.HasScripts {
			t.Skip("the scripts are not built: npm run build")
		}
		_, c, open := startReportingTo(t, address)
		release := c.blockAnswers()
		defer release()
		b := open(browser.Phone)
		b.Visit("store1001", "/login")
		b.Await("a complete page", `() => document.readyState === "complete"`)
		steps.SignInAt(b, "store1001", "13800000001", program.Password)
		b.WantAt("m", "/shop")
		b.Await("a complete page", `() => document.readyState === "complete"`)
		if paths := c.takePages(); len(paths) == 0 {
			t.Error("nothing was reported")
		}
	}
}
