package e2e

import (
	"sync"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
)

const (
	island      = `[data-island="phone-input"]`
	islandAlive = `() => "ready" in document.querySelector('[data-island="phone-input"]').dataset`
)

func TestWhatIsTypedBeforeTheScriptsComeStays(t *testing.T) {
	t.Parallel()
	for _, on := range screens {
		t.Run(on.name, func(t *testing.T) {
			b := scriptedTab(t, normal, on)
			release := b.holdScripts()
			b.visitUnscripted("/login")
			b.fill("password", password)
			b.press(field("remember"))
			b.fill("phone", "1380000")
			release()
			b.await("the island", islandAlive)
			b.await("the number in groups", `s => document.querySelector(s).value === "138 0000"`, field("phone"))
			if b.value("password") != password || !ask[bool](b, `s => document.querySelector(s).checked`, field("remember")) {
				t.Error("the password or the box is not as it was left")
			}
			b.keys("0001") // where the caret was
			if got := b.value("phone"); got != "138 0000 0001" {
				t.Errorf("typing on gives %q", got)
			}
			b.follow(signInButton)
			want := arrival{"store1001", "/home", "王芳", "金穗粮油"}
			if on.mobile {
				want.host, want.path = "m", "/shop"
			}
			b.wantArrived(want)
		})
	}
}

// One can sign in while the scripts are still on their way.
func TestNobodyWaitsForTheScripts(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, phone)
	release := b.holdScripts()
	b.visitUnscripted("/login")
	b.fill("phone", "13800000001")
	b.fill("password", password)
	b.press(signInButton)
	b.await("the shop", `() => location.hostname === "m.localhost" && document.readyState !== "loading"`)
	release()
	b.settle(0)
	b.wantArrived(arrival{"m", "/shop", "王芳", "金穗粮油"})
}

func TestHydrationChangesNoMarkup(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, phone)
	markup := func() string { return ask[string](b, `s => document.querySelector(s).innerHTML`, island) }
	var plain string
	for name, path := range map[string]string{"phone-input": "/login", "code": "/login/code"} {
		release := b.holdScripts()
		markup := func() string {
			return ask[string](b, `name => document.querySelector("[data-island=" + name + "]").innerHTML`, name)
		}
		b.visitUnscripted(path)
		plain = markup()
		release()
		b.await("the island", `name => "ready" in document.querySelector("[data-island=" + name + "]").dataset`, name)
		if got := markup(); got != plain {
			t.Errorf("%s: the server's markup\n%s\nbecame\n%s", name, plain, got)
		}
	}
	b.visit("account", "/login")

	release := b.holdScripts()
	b.fill("phone", "1380013")
	b.press(signInButton)
	b.await("the refusal", `() => document.readyState === "interactive" && !!document.querySelector("[aria-invalid]")`)
	plain = markup()
	release()
	b.await("the island", islandAlive)
	if got := markup(); got != plain {
		t.Errorf("the server's markup of a refused field\n%s\nbecame\n%s", plain, got)
	}
	if got := b.value("phone"); got != "138 0013" {
		t.Errorf("the refused number is shown as %q", got)
	}
}

func TestAPastedNumberIsUnderstood(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, desktop)
	for pasted, want := range map[string]string{
		"+86 138-0013-8000": "138 0013 8000",
		"0086 13800138000":  "138 0013 8000",
		"１３８００１３８０００":       "138 0013 8000",
		" 138 0013 8000 ":   "138 0013 8000",
	} {
		b.visit("account", "/login")
		b.paste("phone", pasted)
		if got := b.value("phone"); got != want {
			t.Errorf("pasting %q gives %q", pasted, got)
		}
	}
}

// Keyboards with a clipboard of their own, and input methods, insert a text without pasting it.
func TestANumberThatAKeyboardInsertsIsUnderstood(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, phone)
	b.visit("account", "/login")
	for _, before := range []string{"", "139", "13900139000"} {
		for _, inserted := range []string{"+86 138-0013-8000", "8613800138000", "+86 (138) 0013-8000"} {
			b.fill("phone", before)
			b.must(proto.InputInsertText{Text: inserted}.Call(b))
			if got := b.value("phone"); got != "138 0013 8000" {
				t.Errorf("%q inserted behind %q gives %q", inserted, before, got)
			}
		}
	}
	b.keys("1") // a full field takes no more
	if got := b.value("phone"); got != "138 0013 8000" {
		t.Errorf("with another digit it is %q", got)
	}
}

func TestTypingGroupsTheNumberAndKeepsTheCaret(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, desktop)
	b.visit("account", "/login")
	b.fill("phone", "")
	b.keys("13800138000")
	if got := b.value("phone"); got != "138 0013 8000" {
		t.Fatalf("typed: %q", got)
	}
	for range 5 {
		b.keyboard(input.ArrowLeft)
	}
	b.keyboard(input.Backspace)
	b.keyboard(input.Key('9'))
	if got := b.value("phone"); got != "138 0019 8000" {
		t.Errorf("mended in the middle: %q", got)
	}
}

// holdScripts keeps every script on its way until it is released.
func (b *tab) holdScripts() (release func()) {
	b.t.Helper()
	b.must(proto.NetworkSetCacheDisabled{CacheDisabled: true}.Call(b)) // what it holds in memory is never asked for
	_, release = b.hold("*.js")
	return release
}

// hold keeps requests to addresses like this on their way until they are released; held tells of the first.
func (b *tab) hold(pattern string) (held <-chan struct{}, release func()) {
	b.t.Helper()
	arrived, gate := make(chan struct{}, 1), make(chan struct{})
	router := b.HijackRequests()
	release = sync.OnceFunc(func() {
		close(gate)
		_ = router.Stop() // lets go what waits
	})
	b.t.Cleanup(release)
	b.must(router.Add(pattern, "", func(h *rod.Hijack) {
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

// visitUnscripted opens a page of the account site and does not wait for its scripts.
func (b *tab) visitUnscripted(path string) {
	b.t.Helper()
	_, err := proto.PageNavigate{URL: b.site.at("account", path)}.Call(b)
	b.must(err)
	b.await("the form", `path => location.pathname === path && document.readyState === "interactive" && !!document.querySelector("form")`, path)
}

// paste puts a text on the clipboard and from there into a field.
func (b *tab) paste(name, text string) {
	b.t.Helper()
	b.fill(name, "")
	b.must(proto.BrowserGrantPermissions{BrowserContextID: b.Browser().BrowserContextID, Permissions: []proto.BrowserPermissionType{
		proto.BrowserPermissionTypeClipboardReadWrite, proto.BrowserPermissionTypeClipboardSanitizedWrite,
	}}.Call(b.Browser()))
	ask[any](b, `text => navigator.clipboard.writeText(text)`, text)
	b.must(proto.InputDispatchKeyEvent{Type: proto.InputDispatchKeyEventTypeKeyDown, Key: "v", Code: "KeyV", Modifiers: input.ModifierControl, Commands: []string{"paste"}}.Call(b))
	b.must(proto.InputDispatchKeyEvent{Type: proto.InputDispatchKeyEventTypeKeyUp, Key: "v", Code: "KeyV", Modifiers: input.ModifierControl}.Call(b))
}
