package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
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
	tabLife     = 2 * time.Minute
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
	lang   string // chosen before, "" for none
	steps  int

	mu       sync.Mutex
	troubles []string
	codes    []string // the auth codes it was sent with
	document proto.NetworkRequestID
	watched  chan struct{}
}

// newTab opens an empty page on a screen. Animations are off; see motion.
func newTab(t *testing.T, s *site, on screen) *tab {
	t.Helper()
	if absent != "" {
		t.Skip(absent)
	}
	incognito, err := chromium.Incognito()
	if err != nil {
		t.Fatal(err)
	}
	page, err := incognito.Page(proto.TargetCreateTarget{URL: "about:blank"})
	if err != nil {
		t.Fatal(err)
	}
	b := &tab{Page: page.Timeout(tabLife), t: t, site: s, watched: make(chan struct{})}
	b.watch()
	b.on(on)
	b.motion(false)
	t.Cleanup(func() {
		b.report()
		_ = incognito.Close()
	})
	return b
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
	b.must(agent.Call(b))
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
	b.plain = true
	b.must(proto.NetworkEnable{}.Call(b))
	b.must(b.SetBlockedURLs([]string{"*.js"}))
}

// watch notes requests to hosts that are not ours, what the Content-Security-Policy stopped, errors on the
// console, and which answer is the page.
func (b *tab) watch() {
	wait := b.EachEvent(
		func(e *proto.NetworkRequestWillBeSent) {
			u, err := url.Parse(e.Request.URL)
			if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "localhost" && !strings.HasSuffix(u.Hostname(), ".localhost") {
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
			refused := e.Entry.Source == proto.LogLogEntrySourceNetwork && strings.Contains(e.Entry.Text, "the server responded with a status of 4")
			blocked := b.plain && strings.HasSuffix(e.Entry.URL, ".js")
			if e.Entry.Level == proto.LogLogEntryLevelError && !refused && !blocked {
				b.note("console: %s %s", e.Entry.Text, e.Entry.URL)
			}
		},
		func(e *proto.RuntimeExceptionThrown) {
			b.note("thrown: %s", e.ExceptionDetails.Text)
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
		b.t.Error(trouble)
	}
	if path := os.Getenv("PORTICO_SHOTS"); b.t.Failed() && path != "" {
		b.shoot(path + "/failed-" + strings.NewReplacer("/", "-", " ", "_").Replace(b.t.Name()) + ".png")
	}
}

// try evaluates a function in the page as it now is.
func (b *tab) try(function string, args ...any) (json.RawMessage, error) {
	given, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(b.GetContext(), patience)
	defer cancel()
	answer, err := proto.RuntimeEvaluate{Expression: "(" + function + ")(..." + string(given) + ")", ReturnByValue: true, AwaitPromise: true, UserGesture: true}.Call(b.Context(ctx))
	if err != nil {
		return nil, err
	}
	if trouble := answer.ExceptionDetails; trouble != nil {
		text := trouble.Text
		if trouble.Exception != nil {
			text += " " + trouble.Exception.Description
		}
		return nil, fmt.Errorf("%s: %s", function, text)
	}
	return json.Marshal(answer.Result.Value)
}

// ask evaluates a function and reads its answer into a value of the type asked for.
func ask[T any](b *tab, function string, args ...any) T {
	b.t.Helper()
	var value T
	answer, err := b.try(function, args...)
	if err != nil && strings.Contains(err.Error(), "navigated") { // it had just changed documents
		answer, err = b.try(function, args...)
	}
	b.must(err)
	b.must(json.Unmarshal(answer, &value))
	return value
}

// await waits until a function of the page is true.
func (b *tab) await(what, function string, args ...any) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		answer, err := b.try(function, args...)
		if err == nil && string(answer) == "true" {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("waited in vain for %s at %s (%v)\n%s", what, b.here(), err, b.seen())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// here is where the tab is, for messages.
func (b *tab) here() string {
	return b.words(`() => location.href`)
}

// seen is what a person reads, for messages.
func (b *tab) seen() string {
	return b.words(`() => document.body.innerText`)
}

func (b *tab) words(function string) string {
	answer, err := b.try(function)
	var text string
	if err == nil {
		err = json.Unmarshal(answer, &text)
	}
	if err != nil {
		return err.Error()
	}
	return text
}

// leave does what leads to another page, and waits for it.
func (b *tab) leave(action func()) {
	b.t.Helper()
	b.steps++
	ask[any](b, `n => { window.left = n }`, b.steps)
	action()
	b.settle(b.steps)
}

// settle waits for the page after a step to be complete and its islands alive.
func (b *tab) settle(step int) {
	b.t.Helper()
	b.await("the next page", `(n, plain) => window.left !== n && document.readyState === "complete" && location.protocol !== "about:" &&
		(plain || [...document.querySelectorAll("[data-island]")].every(e => "ready" in e.dataset))`, step, b.plain || !scripted)
}

func (b *tab) visit(host, path string) { b.t.Helper(); b.visitURL(b.site.at(host, path)) }

func (b *tab) visitURL(address string) {
	b.t.Helper()
	b.leave(func() {
		b.t.Helper()
		answer, err := proto.PageNavigate{URL: address}.Call(b)
		b.must(err)
		if answer.ErrorText != "" {
			b.t.Fatalf("%s: %s", address, answer.ErrorText)
		}
	})
}

func (b *tab) back()   { b.t.Helper(); b.leave(func() { ask[any](b, `() => history.back()`) }) }
func (b *tab) reload() { b.t.Helper(); b.leave(func() { b.must(proto.PageReload{}.Call(b)) }) }

// find waits for an element one can press and gives its middle.
func (b *tab) find(selector string) proto.Point {
	b.t.Helper()
	b.await(selector, `s => {
		const e = document.querySelector(s)
		if (!e) return false
		e.scrollIntoView({block: "center"})
		const r = e.getBoundingClientRect(), hit = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)
		return !!hit && (e === hit || e.contains(hit))
	}`, selector)
	return ask[proto.Point](b, `s => {
		const r = document.querySelector(s).getBoundingClientRect()
		return {x: r.x + r.width / 2, y: r.y + r.height / 2}
	}`, selector)
}

// press clicks or taps, by the screen.
func (b *tab) press(selector string) {
	b.t.Helper()
	at := b.find(selector)
	if b.screen.mobile {
		b.must(b.Touch.Tap(at.X, at.Y))
		return
	}
	b.must(b.Mouse.MoveTo(at))
	b.must(b.Mouse.Click(proto.InputMouseButtonLeft, 1))
}

// pressTwice is an impatient double press.
func (b *tab) pressTwice(selector string) {
	b.t.Helper()
	at := b.find(selector)
	if b.screen.mobile {
		b.must(b.Touch.Tap(at.X, at.Y))
		b.must(b.Touch.Tap(at.X, at.Y))
		return
	}
	b.must(b.Mouse.MoveTo(at))
	b.must(b.Mouse.Click(proto.InputMouseButtonLeft, 1))
	b.must(b.Mouse.Click(proto.InputMouseButtonLeft, 2))
}

// follow presses what leads to another page.
func (b *tab) follow(selector string) {
	b.t.Helper()
	b.leave(func() { b.t.Helper(); b.press(selector) })
}

// fill replaces what a field holds by typing.
func (b *tab) fill(name, text string) {
	b.t.Helper()
	b.await("the field "+name, `s => {
		const e = document.querySelector(s)
		if (!e) return false
		e.focus()
		e.select()
		return document.activeElement === e
	}`, field(name))
	if text == "" {
		b.must(b.Keyboard.Type(input.Backspace))
		return
	}
	b.must(b.InsertText(text))
}

func field(name string) string { return fmt.Sprintf(`input[name="%s"]:not([type=hidden])`, name) }

func (b *tab) value(name string) string {
	b.t.Helper()
	return ask[string](b, `s => document.querySelector(s).value`, field(name))
}

func (b *tab) has(selector string) bool {
	b.t.Helper()
	return ask[bool](b, `s => !!document.querySelector(s)`, selector)
}

// The buttons of the pages, by what they do.
const (
	signInButton  = `form:has(input[name=password]) button:not([type=button])`
	signOutButton = `form[action="/logout"] button`
)

func companyButton(id int) string   { return fmt.Sprintf(`button[name=company_id][value="%d"]`, id) }
func sideButton(side string) string { return fmt.Sprintf(`button[name=side][value="%s"]`, side) }

func languageButton(lang string) string {
	return fmt.Sprintf(`button[name=lang][value="%s"], footer a[href$="?lang=%s"]`, lang, lang)
}

// signIn signs in on the account site by the fitting door and goes where that leads.
func (b *tab) signIn(who string) {
	b.t.Helper()
	b.signInAt("account", who, password)
}

func (b *tab) signInAt(host, who, with string) {
	b.t.Helper()
	path, name := doorOf(who)
	b.visit(host, path)
	b.fill(name, who)
	b.fill("password", with)
	b.follow(signInButton)
}

// forget makes the browser a new one to the server; it still speaks its language.
func (b *tab) forget() {
	b.t.Helper()
	b.must(proto.NetworkClearBrowserCookies{}.Call(b))
	if b.lang == "" {
		return
	}
	for _, host := range []string{"account", "m", "mgr", "store1001", "store1002", "store1008"} {
		_, err := proto.NetworkSetCookie{Name: "lang", Value: b.lang, URL: b.site.at(host, "/")}.Call(b)
		b.must(err)
	}
}

// at checks where the tab is: the host's first label, the path, and that no code stayed in the address.
func (b *tab) wantAt(host, path string) {
	b.t.Helper()
	u, err := url.Parse(b.here())
	b.must(err)
	if want, _ := url.Parse(b.site.at(host, path)); u.Host != want.Host || u.Path != want.Path {
		b.t.Fatalf("at %s, want %s\n%s", u, want, b.seen())
	}
	if strings.Contains(u.String(), "auth_code_") {
		b.t.Errorf("the code is still in the address: %s", u)
	}
}

func (b *tab) wantText(wanted ...string) {
	b.t.Helper()
	text := b.seen()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			b.t.Errorf("%s does not show %q:\n%s", b.here(), want, text)
		}
	}
}

func (b *tab) wantNoText(unwanted ...string) {
	b.t.Helper()
	text := b.seen()
	if i := slices.IndexFunc(unwanted, func(s string) bool { return strings.Contains(text, s) }); i >= 0 {
		b.t.Errorf("%s shows %q:\n%s", b.here(), unwanted[i], text)
	}
}

func (b *tab) wantStatus(want int) {
	b.t.Helper()
	if got := ask[int](b, `() => performance.getEntriesByType("navigation")[0].responseStatus`); got != want {
		b.t.Errorf("%s has status %d, want %d", b.here(), got, want)
	}
}

// wantLang checks the page's language as browsers and screen readers learn it.
func (b *tab) wantLang(want string) {
	b.t.Helper()
	if got := ask[string](b, `() => document.documentElement.lang`); got != want {
		b.t.Errorf("%s is in %q, want %q", b.here(), got, want)
	}
}

func (b *tab) wantTitle(want string) {
	b.t.Helper()
	if got := ask[string](b, `() => document.title`); got != want {
		b.t.Errorf("%s is titled %q, want %q", b.here(), got, want)
	}
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

// shoot saves the whole page as a picture.
func (b *tab) shoot(path string) {
	b.t.Helper()
	picture, err := b.Screenshot(true, nil)
	b.must(err)
	b.must(os.WriteFile(path, picture, 0o644))
}
