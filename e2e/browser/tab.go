package browser

import (
	"sync"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/program"
)

// Tab is a page in a browser that a test has for itself, without cookies and storage. It collects what goes wrong
// behind the page, such as errors on the console, and fails the test with it at the end. Its methods fail the test
// instead of returning errors.
type Tab struct {
	*rod.Page
	T          *testing.T
	Server     *program.Server
	Screen     Screen
	NoScripts  bool   // scripts are blocked
	blockedURL string // a URL that is blocked
	Lang       string // the language chosen with ClearCookies or SetLanguage, "" for none
	Agent      string // the User-Agent, "" for that of the screen
	step       int    // how often MarkPage was called

	Company   program.Company   // the company that a series of pages is about
	Applicant program.Applicant // the applicant that a series of pages is about

	// mu guards what follows. It also guards changes of Server, NoScripts and blockedURL, which watch reads.
	mu        sync.Mutex
	troubles  []string
	AuthCodes []string               // the auth codes in the URLs that the tab has loaded
	SentCodes []string               // the verification codes sent to the tab's phones
	document  proto.NetworkRequestID // the last document that the tab has loaded
	watched   chan struct{}          // closed when watch has seen everything
	tooBusy   bool                   // see WasTooBusy
}

// NewTab opens an empty page on a screen. Animations are off; see SetMotion.
func NewTab(t *testing.T, s *program.Server, on Screen) *Tab {
	t.Helper()
	NeedBrowser(t)
	incognito, err := chromium.Incognito()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = incognito.Close() })
	return NewTabIn(t, s, on, incognito)
}

// NewTabIn opens an empty page in a browser that is already running.
func NewTabIn(t *testing.T, s *program.Server, on Screen, browser *rod.Browser) *Tab {
	t.Helper()
	page, err := browser.Page(proto.TargetCreateTarget{URL: "about:blank"})
	if err != nil {
		t.Fatal(err)
	}
	b := &Tab{Page: page.Timeout(tabLife), T: t, Server: s, watched: make(chan struct{})}
	b.watch()
	b.SetScreen(on)
	b.SetMotion(false)
	t.Cleanup(b.report)
	return b
}

// NeedBrowser skips a test if there is no browser.
func NeedBrowser(t *testing.T) {
	t.Helper()
	if Unavailable != "" {
		t.Skip(Unavailable)
	}
}

// NewScriptedTab is NewTab for a test of scripts. It skips the test if they were not built.
func NewScriptedTab(t *testing.T, s *program.Server, on Screen) *Tab {
	t.Helper()
	if Unavailable == "" && !HasScripts {
		t.Skip("the scripts are not built: npm run build")
	}
	return NewTab(t, s, on)
}

// Must fails the test if err is not nil.
func (b *Tab) Must(err error) {
	b.T.Helper()
	if err != nil {
		b.T.Fatalf("%v, at %s", err, b.Address())
	}
}

// ClearCookies deletes all cookies, so that the server sees a new browser. The pages stay in the tab's language.
func (b *Tab) ClearCookies() {
	b.T.Helper()
	b.Must(proto.NetworkClearBrowserCookies{}.Call(b))
	for _, host := range []string{"account", "m", "mgr", "store1001", "store1002", "store1003", "store1008"} {
		b.SetLanguage(host)
	}
}

// SetLanguage chooses Lang on a host, unless it is "".
func (b *Tab) SetLanguage(host string) {
	b.T.Helper()
	if b.Lang == "" {
		return
	}
	_, err := proto.NetworkSetCookie{Name: "lang", Value: b.Lang, URL: b.Server.URL(host, "/")}.Call(b)
	b.Must(err)
}
