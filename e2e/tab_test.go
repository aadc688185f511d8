package e2e

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// screen is what a person holds or sits at.
type screen struct {
	name          string
	width, height int
	scale         float64
	mobile        bool
}

var (
	phone   = screen{"phone", 360, 740, 1, true}
	desktop = screen{"desktop", 1280, 800, 1, false}
	screens = []screen{phone, desktop}
)

const (
	tabLife     = 15 * time.Minute // longer than any test beside other work takes
	mobileAgent = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36"
)

// tab is a page of a browser of its own: no cookies, nothing stored. It watches what goes wrong behind the
// page and reports it when the test ends.
type tab struct {
	*rod.Page
	t      *testing.T
	site   *site
	screen screen
	plain  bool   // scripts are blocked
	cut    string // an address that is blocked
	lang   string // chosen before, "" for none
	agent  string // the User-Agent, "" for that of the screen
	steps  int

	house     house // whose pages are looked at; see joiningViews
	applicant applicant

	mu       sync.Mutex // guards what follows, and changes of site, plain and cut, which watch reads too
	troubles []string
	codes    []string // the auth codes it was sent with
	sent     []string // the codes its phones were sent
	document proto.NetworkRequestID
	watched  chan struct{}

	turnedAway bool // the server was too busy for a sign-in (503), and the test tried again
}

// newTab opens an empty page on a screen. Animations are off; see motion.
func newTab(t *testing.T, s *site, on screen) *tab {
	t.Helper()
	needBrowser(t)
	incognito, err := chromium.Incognito()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = incognito.Close() })
	return tabOf(t, s, on, incognito)
}

func tabOf(t *testing.T, s *site, on screen, browser *rod.Browser) *tab {
	t.Helper()
	page, err := browser.Page(proto.TargetCreateTarget{URL: "about:blank"})
	if err != nil {
		t.Fatal(err)
	}
	b := &tab{Page: page.Timeout(tabLife), t: t, site: s, watched: make(chan struct{})}
	b.watch()
	b.on(on)
	b.motion(false)
	t.Cleanup(b.report)
	return b
}

func needBrowser(t *testing.T) {
	t.Helper()
	if absent != "" {
		t.Skip(absent)
	}
}

// scriptedTab is a tab for what only scripts do.
func scriptedTab(t *testing.T, s *site, on screen) *tab {
	t.Helper()
	if absent == "" && !scripted {
		t.Skip("the scripts are not built: npm run build")
	}
	return newTab(t, s, on)
}

// eachWay runs a test with scripts and with scripts blocked.
func eachWay(t *testing.T, on screen, test func(b *tab)) {
	t.Helper()
	t.Run("with scripts", func(t *testing.T) { test(scriptedTab(t, normal, on)) })
	t.Run("without scripts", func(t *testing.T) {
		b := newTab(t, normal, on)
		b.blockScripts()
		test(b)
	})
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("%v, at %s", err, b.here())
	}
}

// on moves the tab to another screen.
func (b *tab) on(s screen) {
	b.t.Helper()
	b.screen = s
	b.must(proto.EmulationSetDeviceMetricsOverride{Width: s.width, Height: s.height, DeviceScaleFactor: s.scale, Mobile: s.mobile}.Call(b))
	b.must(proto.EmulationSetTouchEmulationEnabled{Enabled: s.mobile}.Call(b))
	agent := proto.EmulationSetUserAgentOverride{UserAgent: mobileAgent, UserAgentMetadata: &proto.EmulationUserAgentMetadata{Mobile: true, Platform: "Android"}}
	if !s.mobile {
		agent = proto.EmulationSetUserAgentOverride{}
	}
	if b.agent != "" {
		agent = proto.EmulationSetUserAgentOverride{UserAgent: b.agent}
	}
	b.must(agent.Call(b))
	ask[any](b, `() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`) // the page has found its place
}

// look chooses light or dark, and leaves animations off.
func (b *tab) look(scheme string) {
	b.t.Helper()
	b.must(proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}.Call(b))
}

// motion switches animations and page transitions.
func (b *tab) motion(on bool) {
	b.t.Helper()
	wish := map[bool]string{true: "no-preference", false: "reduce"}[on]
	b.must(proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "prefers-reduced-motion", Value: wish}}}.Call(b))
}

func (b *tab) blockScripts() {
	b.t.Helper()
	b.expectBlocked("", true)
	b.must(proto.NetworkEnable{}.Call(b))
	b.must(b.SetBlockedURLs([]string{"*.js"}))
}

// cutOff makes requests to one address fail, as without a network.
func (b *tab) cutOff(address string) {
	b.t.Helper()
	b.expectBlocked(address, b.plain)
	b.must(proto.NetworkEnable{}.Call(b))
	b.must(b.SetBlockedURLs([]string{address}))
}

// expectBlocked says what fails on purpose: requests to one address, and scripts where the tab is plain.
func (b *tab) expectBlocked(address string, plain bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut, b.plain = address, plain
}

// moveTo says whose pages the tab looks at from now on, and returns whose they were.
func (b *tab) moveTo(s *site) (before *site) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before, b.site = b.site, s
	return before
}

// expected are the site that the tab visits and what is blocked there on purpose.
func (b *tab) expected() (s *site, cut string, plain bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.site, b.cut, b.plain
}

// watch notes requests to hosts that are not ours, what the Content-Security-Policy stopped, errors on the
// console, and which answer is the page.
func (b *tab) watch() {
	wait := b.EachEvent(
		func(e *proto.NetworkRequestWillBeSent) {
			own, _, _ := b.expected()
			u, err := url.Parse(e.Request.URL)
			if err == nil && (u.Scheme == "http" || u.Scheme == "https") && !own.visits(u.Host) {
				b.note("asked another host: %s", e.Request.URL)
			} else if code := u.Query().Get("auth_code_"); code != "" {
				b.mu.Lock()
				b.codes = append(b.codes, code)
				b.mu.Unlock()
			}
		},
		func(e *proto.NetworkResponseReceived) {
			if e.Type == proto.NetworkResourceTypeDocument {
				b.mu.Lock()
				b.document = e.RequestID
				b.mu.Unlock()
			}
		},
		func(e *proto.LogEntryAdded) {
			_, cut, plain := b.expected()
			refused := e.Entry.Source == proto.LogLogEntrySourceNetwork && strings.Contains(e.Entry.Text, "the server responded with a status of 4")
			blocked := plain && strings.HasSuffix(e.Entry.URL, ".js") || e.Entry.URL != "" && e.Entry.URL == cut
			if e.Entry.Level == proto.LogLogEntryLevelError && !refused && !blocked {
				b.note("console: %s %s", e.Entry.Text, e.Entry.URL)
			}
		},
		func(e *proto.RuntimeExceptionThrown) {
			thrown := e.ExceptionDetails.Text
			if what := e.ExceptionDetails.Exception; what != nil {
				thrown += ": " + what.Description
			}
			// Chromium reports a view transition between two pages that it gave up as an uncaught error, though no script
			// started it.
			aborted := strings.Contains(thrown, "InvalidStateError: Transition was aborted")
			skipped := strings.Contains(thrown, "AbortError: Transition was skipped")
			if !aborted && !skipped {
				b.note("thrown: %s", thrown)
			}
		},
		func(e *proto.RuntimeConsoleAPICalled) bool {
			words := ""
			for _, arg := range e.Args {
				words += arg.Value.Str() + " "
			}
			if words == "the end " {
				return true
			}
			if e.Type == proto.RuntimeConsoleAPICalledTypeError || e.Type == proto.RuntimeConsoleAPICalledTypeWarning {
				b.note("console: %s", words)
			}
			return false
		},
	)
	go func() {
		defer close(b.watched)
		wait()
	}()
}

func (b *tab) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.troubles = append(b.troubles, fmt.Sprintf(format, args...))
}

// report fails the test for what was noted. Events come in order: once the last words are heard, all that
// went before has been.
func (b *tab) report() {
	b.t.Helper()
	if _, err := b.try(`() => console.debug("the end")`); err == nil {
		select {
		case <-b.watched:
		case <-time.After(patience):
			b.t.Error("the browser stopped reporting")
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, trouble := range b.troubles {
		if b.turnedAway && strings.Contains(trouble, "status of 503") {
			continue
		}
		b.t.Error(trouble)
	}
	if path := os.Getenv("PORTICO_SHOTS"); b.t.Failed() && path != "" {
		b.shoot(path+"/failed-"+strings.NewReplacer("/", "-", " ", "_").Replace(b.t.Name())+".webp", true)
	}
}

// forget makes the browser a new one to the server; it still speaks its language.
func (b *tab) forget() {
	b.t.Helper()
	b.must(proto.NetworkClearBrowserCookies{}.Call(b))
	for _, host := range []string{"account", "m", "mgr", "store1001", "store1002", "store1003", "store1008"} {
		b.speak(host)
	}
}

// speak chooses the tab's language on a host, if it has one.
func (b *tab) speak(host string) {
	b.t.Helper()
	if b.lang == "" {
		return
	}
	_, err := proto.NetworkSetCookie{Name: "lang", Value: b.lang, URL: b.site.at(host, "/")}.Call(b)
	b.must(err)
}

// source is the page as the server sent it.
func (b *tab) source() []byte {
	b.t.Helper()
	b.mu.Lock()
	id := b.document
	b.mu.Unlock()
	answer, err := proto.NetworkGetResponseBody{RequestID: id}.Call(b)
	b.must(err)
	return []byte(answer.Body)
}
