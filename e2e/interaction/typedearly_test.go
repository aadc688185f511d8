package interaction

import (
	"sync"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

const (
	island      = `[data-island="phone-input"]`
	islandAlive = `() => "ready" in document.querySelector('[data-island="phone-input"]').dataset`
)

func TestTextTypedBeforeTheScriptsLoadStays(t *testing.T) {
	t.Parallel()
	for _, on := range browser.Screens {
		t.Run(on.Name, func(t *testing.T) {
			b := browser.NewScriptedTab(t, browser.Normal, on)
			release := delayScripts(b)
			visitWithoutWaiting(b, "/login")
			b.Fill("password", program.Password)
			b.Press(browser.Field("remember"))
			b.Fill("phone", "1380000")
			release()
			b.Await("the island", islandAlive)
			b.Await(
				"the number in groups", `s => document.querySelector(s).value === "138 0000"`, browser.Field("phone"),
			)
			if b.Value("password") != program.Password ||
				!browser.Eval[bool](b, `s => document.querySelector(s).checked`, browser.Field("remember")) {
				t.Error("the password or the box has changed")
			}
			browser.TypeKeys(b, "0001") // at the caret
			if got := b.Value("phone"); got != "138 0000 0001" {
				t.Errorf("typing on gives %q", got)
			}
			b.Follow(steps.SignInButton)
			want := browser.Arrival{Host: "store1001", Path: "/home", Holder: "王芳", Company: "金穗粮油"}
			if on.Mobile {
				want.Host, want.Path = "m", "/shop"
			}
			b.WantArrived(want)
		})
	}
}

// A person can sign in before the scripts have arrived.
func TestSigningInWorksBeforeTheScriptsLoad(t *testing.T) {
	t.Parallel()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	release := delayScripts(b)
	visitWithoutWaiting(b, "/login")
	b.Fill("phone", "13800000001")
	b.Fill("password", program.Password)
	b.Press(steps.SignInButton)
	b.Await("the shop", `() => location.hostname === "m.localhost" && document.readyState !== "loading"`)
	release()
	b.AwaitPage(0)
	b.WantArrived(browser.Arrival{Host: "m", Path: "/shop", Holder: "王芳", Company: "金穗粮油"})
}

func TestHydrationKeepsTheMarkup(t *testing.T) {
	t.Parallel()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	markup := func() string { return browser.Eval[string](b, `s => document.querySelector(s).innerHTML`, island) }
	var plain string
	for name, path := range map[string]string{"phone-input": "/login", "code": "/login/code"} {
		release := delayScripts(b)
		markup := func() string {
			return browser.Eval[string](
				b, `name => document.querySelector("[data-island=" + name + "]").innerHTML`, name,
			)
		}
		visitWithoutWaiting(b, path)
		plain = markup()
		release()
		b.Await("the island", `name => "ready" in document.querySelector("[data-island=" + name + "]").dataset`, name)
		if got := markup(); got != plain {
			t.Errorf("%s: the server's markup\n%s\nbecame\n%s", name, plain, got)
		}
	}
	b.Visit("account", "/login")

	release := delayScripts(b)
	b.Fill("phone", "1380013")
	b.Press(steps.SignInButton)
	b.Await("the refusal", `() => document.readyState === "interactive" && !!document.querySelector("[aria-invalid]")`)
	plain = markup()
	release()
	b.Await("the island", islandAlive)
	if got := markup(); got != plain {
		t.Errorf("the server's markup of a refused field\n%s\nbecame\n%s", plain, got)
	}
	if got := b.Value("phone"); got != "138 0013" {
		t.Errorf("the refused number is shown as %q", got)
	}
}

func TestPastedPhoneNumberIsFormatted(t *testing.T) {
	t.Parallel()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	for pasted, want := range map[string]string{
		"+86 138-0013-8000": "138 0013 8000",
		"0086 13800138000":  "138 0013 8000",
		"１３８００１３８０００":       "138 0013 8000",
		" 138 0013 8000 ":   "138 0013 8000",
	} {
		b.Visit("account", "/login")
		browser.Paste(b, "phone", pasted)
		if got := b.Value("phone"); got != want {
			t.Errorf("pasting %q gives %q", pasted, got)
		}
	}
}

// Keyboards with a clipboard of their own, and input methods, insert a text without pasting it.
func TestPhoneNumberInsertedByAKeyboardIsFormatted(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	b.Visit("account", "/login")
	for _, before := range []string{"", "139", "13900139000"} {
		for _, inserted := range []string{"+86 138-0013-8000", "8613800138000", "+86 (138) 0013-8000"} {
			b.Fill("phone", before)
			b.Must(proto.InputInsertText{Text: inserted}.Call(b))
			if got := b.Value("phone"); got != "138 0013 8000" {
				t.Errorf("%q inserted behind %q gives %q", inserted, before, got)
			}
		}
	}
	browser.TypeKeys(b, "1") // a full field accepts no more digits
	if got := b.Value("phone"); got != "138 0013 8000" {
		t.Errorf("with another digit it is %q", got)
	}
}

func TestTypingAPhoneNumberGroupsItAndKeepsTheCaret(t *testing.T) {
	t.Parallel()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	b.Visit("account", "/login")
	b.Fill("phone", "")
	browser.TypeKeys(b, "13800138000")
	if got := b.Value("phone"); got != "138 0013 8000" {
		t.Fatalf("typed: %q", got)
	}
	for range 5 {
		browser.PressKey(b, input.ArrowLeft)
	}
	browser.PressKey(b, input.Backspace)
	browser.PressKey(b, input.Key('9'))
	if got := b.Value("phone"); got != "138 0019 8000" {
		t.Errorf("after typing in the middle: %q", got)
	}
}

// delayScripts delays every script until release is called.
func delayScripts(b *browser.Tab) (release func()) {
	b.T.Helper()
	b.Must(proto.NetworkSetCacheDisabled{CacheDisabled: true}.Call(b)) // it requests nothing that it has in memory
	_, release = delayRequests(b, "*.js")
	return release
}

// delayRequests delays requests for URLs that match a pattern until release is called. delayed receives a value at the
// first one. The requests of the tab stay intercepted until the next call or the end of the test: a browser that stops
// intercepting while requests continue can lose one.
func delayRequests(b *browser.Tab, pattern string) (delayed <-chan struct{}, release func()) {
	b.T.Helper()
	stopIntercepting(b)
	arrived, gate := make(chan struct{}, 1), make(chan struct{})
	router := b.HijackRequests()
	release = sync.OnceFunc(func() { close(gate) })
	intercepting.Store(b, router)
	b.T.Cleanup(func() {
		release()
		stopIntercepting(b)
	})
	b.Must(router.Add(pattern, "", func(h *rod.Hijack) {
		select {
		case arrived <- struct{}{}:
		default:
		}
		<-gate
		h.ContinueRequest(&proto.FetchContinueRequest{})
	}))
	go router.Run()
	return arrived, release
}

// intercepting has the router of every tab whose requests are intercepted.
var intercepting sync.Map

func stopIntercepting(b *browser.Tab) {
	if router, ok := intercepting.LoadAndDelete(b); ok {
		_ = router.(*rod.HijackRouter).Stop() // lets requests that are still delayed continue
	}
}

// visitWithoutWaiting opens a page of the account site and does not wait for its scripts.
func visitWithoutWaiting(b *browser.Tab, path string) {
	b.T.Helper()
	_, err := proto.PageNavigate{URL: b.Server.URL("account", path)}.Call(b)
	b.Must(err)
	b.Await(
		"the form",
		`path => location.pathname === path && document.readyState === "interactive" &&
			!!document.querySelector("form")`,
		path,
	)
}
