package browser

import (
	"net/http"

	"github.com/go-rod/rod/lib/proto"
)

// LeavePage calls an action that leads to another page and waits for that page.
func (b *Tab) LeavePage(action func()) {
	b.T.Helper()
	step := MarkPage(b)
	action()
	b.AwaitPage(step)
}

// MarkPage leaves a new number in the page, so that AwaitPage can tell the next page from it. The number goes when a
// script puts another page into <main> of this one.
func MarkPage(b *Tab) (step int) {
	b.T.Helper()
	b.step++
	Eval[any](b, `n => {
		window.left = n
		const renewed = () => { if (window.left === n) window.left = 0 }
		document.addEventListener("htmx:after:swap", renewed, { once: true })
	}`, b.step)
	return b.step
}

// AwaitPage waits until the page after a step is complete and its islands are hydrated. A step is a number that
// LeavePage has left in the page before. Without scripts, a page whose address has an auth code loads itself again at
// the address without it, which is the page that counts.
func (b *Tab) AwaitPage(step int) {
	b.T.Helper()
	b.Await(
		"the next page",
		`(n, plain) => window.left !== n && document.readyState === "complete" && location.protocol !== "about:" &&
		!location.search.includes("auth_code_") &&
		(plain || [...document.querySelectorAll("[data-island]")].every(e => "ready" in e.dataset))`,
		step,
		b.NoScripts || !HasScripts,
	)
}

// Visit opens a path on one of the server's hosts; see program.Server.URL.
func (b *Tab) Visit(host, path string) { b.T.Helper(); b.VisitURL(b.Server.URL(host, path)) }

// VisitURL opens a URL and waits for its page.
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

// Back goes back in the history and waits for that page.
func (b *Tab) Back() { b.T.Helper(); b.LeavePage(func() { b.RunAndLeave(`() => history.back()`) }) }

// Reload loads the page again and waits for it.
func (b *Tab) Reload() { b.T.Helper(); b.LeavePage(func() { b.Must(proto.PageReload{}.Call(b)) }) }

// WasTooBusy reports whether the server had no time to check the password (503). That happens on a busy machine, and a
// person would try again. The tab then ignores the line on the console about it.
func (b *Tab) WasTooBusy() bool {
	b.T.Helper()
	if Eval[int](
		b, `() => performance.getEntriesByType("navigation")[0].responseStatus`,
	) != http.StatusServiceUnavailable {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tooBusy = true
	return true
}
