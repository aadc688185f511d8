package browser

import (
	"net/http"

	"github.com/go-rod/rod/lib/proto"
)

// LeavePage does what leads to another page, and waits for it.
func (b *Tab) LeavePage(action func()) {
	b.T.Helper()
	b.Steps++
	Ask[any](b, `n => { window.left = n }`, b.Steps)
	action()
	b.AwaitPage(b.Steps)
}

// AwaitPage waits for the page after a step to be complete and its islands alive.
func (b *Tab) AwaitPage(step int) {
	b.T.Helper()
	b.Await("the next page", `(n, plain) => window.left !== n && document.readyState === "complete" && location.protocol !== "about:" &&
		(plain || [...document.querySelectorAll("[data-island]")].every(e => "ready" in e.dataset))`, step, b.NoScripts || !HasScripts)
}

func (b *Tab) Visit(host, path string) { b.T.Helper(); b.VisitURL(b.Server.URL(host, path)) }

func (b *Tab) VisitURL(address string) {
	b.T.Helper()
	b.LeavePage(func() {
		b.T.Helper()
		answer, err := proto.PageNavigate{URL: address}.Call(b)
		b.Must(err)
		if answer.ErrorText != "" {
			b.T.Fatalf("%s: %s", address, answer.ErrorText)
		}
	})
}

func (b *Tab) Back() { b.T.Helper(); b.LeavePage(func() { b.RunAndLeave(`() => history.back()`) }) }

func (b *Tab) Reload() { b.T.Helper(); b.LeavePage(func() { b.Must(proto.PageReload{}.Call(b)) }) }

// WasTooBusy reports whether the server had no time to check the password (503), which happens on a busy machine: a
// person then tries again. The console's line about it is no failure of the test.
func (b *Tab) WasTooBusy() bool {
	b.T.Helper()
	if Ask[int](b, `() => performance.getEntriesByType("navigation")[0].responseStatus`) != http.StatusServiceUnavailable {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tooBusy = true
	return true
}
