package steps

import (
	"fmt"
	"strings"

	"portico/e2e/browser"
	"portico/e2e/program"
)

// WantRefusedWith checks that a form came back with a message beside a field, tied to it.
func WantRefusedWith(b *browser.Tab, name, message string) {
	b.T.Helper()
	b.WantStatus(422)
	got := browser.Ask[string](b, `s => {
		const e = document.querySelector(s)
		return e?.getAttribute("aria-invalid") === "true" ? e.getAttribute("aria-describedby").split(" ").map(id => document.getElementById(id).innerText).join("\n") : ""
	}`, browser.Field(name))
	if !strings.Contains(got, message) {
		b.T.Errorf("beside %s stands %q, want %q\n%s", name, got, message, b.VisibleText())
	}
}

// WantTyped checks what fields hold, by their names. Only scripts group a phone while one types.
func WantTyped(b *browser.Tab, pairs ...string) {
	b.T.Helper()
	for i := 0; i < len(pairs); i += 2 {
		got, want := b.Value(pairs[i]), pairs[i+1]
		if got != want && !(b.NoScripts && got == strings.ReplaceAll(want, " ", "")) {
			b.T.Errorf("%s holds %q, want %q", pairs[i], got, want)
		}
	}
}

// WantResent sends a form a second time and checks what becomes of it.
func WantResent(b *browser.Tab, status int, path string, pairs ...string) {
	b.T.Helper()
	got := browser.Ask[int](b, `async (path, pairs) => {
		const body = new URLSearchParams()
		for (let i = 0; i < pairs.length; i += 2) body.set(pairs[i], pairs[i + 1])
		return (await fetch(path, {method: "POST", body})).status
	}`, path, pairs)
	if got != status {
		b.T.Errorf("%s sent again has status %d, want %d", path, got, status)
	}
}

// MarkupContains looks for a text in the page's markup.
func MarkupContains(b *browser.Tab, text string) bool {
	b.T.Helper()
	return browser.Ask[bool](b, `text => document.documentElement.outerHTML.includes(text)`, text)
}

func Step(text func(string) string, n int) string {
	return program.FillIn(program.FillIn(text("care.step"), "num", n), "of", 2)
}

// WantMistakes checks the summary of a refused form: it has the focus, and names these fields, each tied to its message.
func WantMistakes(b *browser.Tab, names ...string) {
	b.T.Helper()
	b.WantStatus(422)
	b.Await("the focus on the summary", `() => document.activeElement.getAttribute("role") === "alert"`)
	links := browser.Ask[[]string](b, `() => [...document.querySelectorAll("[role=alert] a")].map(a => a.hash.slice(1))`)
	if fmt.Sprint(links) != fmt.Sprint(names) {
		b.T.Errorf("the summary leads to %q, want %q", links, names)
	}
	for _, name := range names {
		if !browser.Ask[bool](b, `id => {
			const e = document.getElementById(id), notes = (e.getAttribute("aria-describedby") || "").split(" ")
			return (e.matches("fieldset") || e.getAttribute("aria-invalid") === "true") && notes.includes(id + "-msg") && !!document.getElementById(id + "-msg").innerText
		}`, name) {
			b.T.Errorf("%s is not tied to its message", name)
		}
	}
}

// PressTwiceTo presses an impatient second time, which may fall on the page that follows, and goes to where the first
// one led.
func PressTwiceTo(b *browser.Tab, selector, host, path string) {
	b.T.Helper()
	b.LeavePage(func() { b.T.Helper(); b.PressTwice(selector) })
	b.Visit(host, path)
	b.Await("the page after it", `path => location.pathname === path && document.readyState === "complete"`, path)
}
