package browser

import (
	"sync"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/program"
)

// Tab is a page of a browser of its own: no cookies, nothing stored. It watches what goes wrong behind the
// page and reports it when the test ends.
type Tab struct {
	*rod.Page
	T          *testing.T
	Server     *program.Server
	Screen     Screen
	NoScripts  bool   // scripts are blocked
	blockedURL string // an address that is blocked
	Lang       string // chosen before, "" for none
	Agent      string // the User-Agent, "" for that of the screen
	Steps      int

	Company   program.Company // whose pages are looked at; see joiningViews
	Applicant program.Applicant

	mu        sync.Mutex // guards what follows, and changes of site, plain and cut, which watch reads too
	troubles  []string
	AuthCodes []string // the auth codes it was sent with
	SentCodes []string // the codes its phones were sent
	document  proto.NetworkRequestID
	watched   chan struct{}

	tooBusy bool // the server was too busy for a sign-in (503), and the test tried again
}

// NewTab opens an empty page on a screen. Animations are off; see motion.
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

func NeedBrowser(t *testing.T) {
	t.Helper()
	if Unavailable != "" {
		t.Skip(Unavailable)
	}
}

// NewScriptedTab is a tab for what only scripts do.
func NewScriptedTab(t *testing.T, s *program.Server, on Screen) *Tab {
	t.Helper()
	if Unavailable == "" && !HasScripts {
		t.Skip("the scripts are not built: npm run build")
	}
	return NewTab(t, s, on)
}

func (b *Tab) Must(err error) {
	b.T.Helper()
	if err != nil {
		b.T.Fatalf("%v, at %s", err, b.Address())
	}
}

// StartAfresh makes the browser a new one to the server; it still speaks its language.
func (b *Tab) StartAfresh() {
	b.T.Helper()
	b.Must(proto.NetworkClearBrowserCookies{}.Call(b))
	for _, host := range []string{"account", "m", "mgr", "store1001", "store1002", "store1003", "store1008"} {
		b.SetLanguage(host)
	}
}

// SetLanguage chooses the tab's language on a host, if it has one.
func (b *Tab) SetLanguage(host string) {
	b.T.Helper()
	if b.Lang == "" {
		return
	}
	_, err := proto.NetworkSetCookie{Name: "lang", Value: b.Lang, URL: b.Server.URL(host, "/")}.Call(b)
	b.Must(err)
}
