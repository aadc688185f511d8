package steps

import (
	"fmt"
	"strings"

	"portico/e2e/browser"
)

// WantRefusedWith checks that a form came back with a message beside a field, tied to it.
func WantRefusedWith(b *browser.Tab, name, message string) {
	b.T.Helper()
	b.WantStatus(422)
	got := browser.Eval[string](b, `s => {
		const e = document.querySelector(s)
		return e?.getAttribute("aria-invalid") === "true" ? e.getAttribute("aria-describedby").split(" ")
			.map(id => document.getElementById(id).innerText).join("\n") : ""
	}`, browser.Field(name))
	if !strings.Contains(got, message) {
		b.T.Errorf("beside %s is %q, want %q\n%s", name, got, message, b.VisibleText())
	}
}

// WantTyped checks the values of fields. pairs are names and values. Without scripts a phone number is not grouped.
func WantTyped(b *browser.Tab, pairs ...string) {
	b.T.Helper()
	for i := 0; i < len(pairs); i += 2 {
		got, want := b.Value(pairs[i]), pairs[i+1]
		if got != want && !(b.NoScripts && got == strings.ReplaceAll(want, " ", "")) {
			b.T.Errorf("%s has %q, want %q", pairs[i], got, want)
		}
	}
}

// WantResent submits a form a second time and checks the status.
func WantResent(b *browser.Tab, status int, path string, pairs ...string) {
	b.T.Helper()
	got := browser.Eval[int](b, `async (path, pairs) => {
		const body = new URLSearchParams()
		for (let i = 0; i < pairs.length; i += 2) body.set(pairs[i], pairs[i + 1])
		return (await fetch(path, {method: "POST", body})).status
	}`, path, pairs)
	if got != status {
		b.T.Errorf("%s sent again has status %d, want %d", path, got, status)
	}
}

// MarkupContains reports whether the page's markup contains a text.
func MarkupContains(b *browser.Tab, text string) bool {
	b.T.Helper()
	return browser.Eval[bool](b, `text => document.documentElement.outerHTML.includes(text)`, text)
}

// WantStep checks which step of a form the page shows; the first is 1.
func WantStep(b *browser.Tab, n int) {
	b.T.Helper()
	at := browser.Eval[int](
		b, `() => [...document.querySelectorAll(".progress li")].findIndex(li => li.matches("[aria-current=step]"))`,
	)
	if at+1 != n {
		b.T.Errorf("%s shows step %d, want %d\n%s", b.Address(), at+1, n, b.VisibleText())
	}
}

// WantMistakes checks the summary of a refused form. It has the focus and leads to these fields, each of which is tied
// to its message.
func WantMistakes(b *browser.Tab, names ...string) {
	b.T.Helper()
	b.WantStatus(422)
	b.Await("the focus on the summary", `() => document.activeElement.getAttribute("role") === "alert"`)
	links := browser.Eval[[]string](
		b, `() => [...document.querySelectorAll("[role=alert] a")].map(a => a.hash.slice(1))`,
	)
	if fmt.Sprint(links) != fmt.Sprint(names) {
		b.T.Errorf("the summary leads to %q, want %q", links, names)
	}
	for _, name := range names {
		if !browser.Eval[bool](b, `id => {
			const e = document.getElementById(id), notes = (e.getAttribute("aria-describedby") || "").split(" ")
			return (e.matches("fieldset") || e.getAttribute("aria-invalid") === "true") &&
				notes.includes(id + "-msg") && !!document.getElementById(id + "-msg").innerText
		}`, name) {
			b.T.Errorf("%s is not tied to its message", name)
		}
	}
}

// PressTwiceTo presses an element twice. The second press may hit the page that follows. It then opens the path that
// the first press led to.
func PressTwiceTo(b *browser.Tab, selector, host, path string) {
	b.T.Helper()
	b.LeavePage(func() { b.T.Helper(); b.PressTwice(selector) })
	b.Visit(host, path)
	b.Await("the page after it", `path => location.pathname === path && document.readyState === "complete"`, path)
}
