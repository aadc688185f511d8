package page

import (
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
)

// The sign-in page fits on a laptop's screen without scrolling, with every sign-in method that the browser has.
func TestSignInPageFitsALaptopScreen(t *testing.T) {
	t.Parallel()
	b := browser.NewTab(t, browser.Normal, browser.Desktop)
	for _, lang := range program.Languages {
		b.Visit("account", "/login?lang="+lang)
		if over := browser.Eval[int](b, `() => document.scrollingElement.scrollHeight - innerHeight`); over > 0 {
			t.Errorf("in %s the page is %d px too high", lang, over)
		}
		if n := browser.Eval[int](b, `() => document.querySelectorAll(".apps a").length`); n != 2 {
			t.Errorf("%d sign-in methods, want 2", n)
		}
	}
}

func TestSignInPageOnAPhoneShowsTwelveIndustries(t *testing.T) {
	t.Parallel()
	b := browser.NewTab(t, browser.Normal, browser.Phone)
	for _, lang := range program.Languages {
		b.Visit("account", "/login?lang="+lang)
		shown := browser.Eval[int](
			b, `() => [...document.querySelectorAll(".trades > *")].filter((e) => e.offsetHeight > 0).length`,
		)
		if shown != 12 {
			t.Errorf("in %s the page shows %d industries, want 12", lang, shown)
		}
	}
}

// wantFitting checks sizes. Every test checks errors on the console, violations of the Content-Security-Policy and
// requests to other hosts; see browser.Tab.
func wantFitting(t *testing.T, pages []inspection) {
	t.Helper()
	for _, s := range pages {
		for _, small := range s.small {
			t.Errorf("%s: too small to touch: %s", s.name, small)
		}
		for _, fault := range s.covered {
			t.Errorf("%s: %s", s.name, fault)
		}
		for _, wide := range s.wide {
			t.Errorf("%s: too wide: %s", s.name, wide)
		}
	}
}

// tooSmall returns touch targets that are too small, on screens with touch.
func tooSmall(b *browser.Tab) []string {
	b.T.Helper()
	if !b.Screen.Mobile {
		return nil
	}
	return browser.Eval[[]string](b, touchTargets, 24, 48)
}

// tooWide returns what makes the page scroll sideways, on the narrowest screen of this kind.
func tooWide(b *browser.Tab) []string {
	b.T.Helper()
	on := browser.Zoomed
	if b.Screen.Mobile {
		on = browser.Narrow
	}
	b.SetScreen(on)
	return browser.Eval[[]string](b, sticksOut, on.Name)
}

// touchTargets returns links and buttons smaller than the least size, and fields and buttons of the main content
// smaller than main controls; buttons that remove an entry of a list are not main controls. Exceptions are links within
// a line of text (WCAG 2.2, 2.5.8), the skip link and the hidden first button of a form, which are only for the
// keyboard.
const touchTargets = `(least, main) => [...document.querySelectorAll(
	"a[href], button, input:not([type=hidden]), select, textarea")].flatMap(e => {
	const box = (["checkbox", "radio"].includes(e.type) && e.closest("label") || e).getBoundingClientRect()
	if (!e.checkVisibility() || e.ariaHidden === "true" || box.right <= 0 ||
		getComputedStyle(e).display === "inline") return []
	const need = e.closest("main") &&
		e.matches("input:not([type=checkbox]):not([type=radio]), select, textarea, " +
			"button:not([value=remove]):not([value=end_device]):not([value=unlink])") ? main : least
	return box.height < need || box.width < least ?
		[Math.round(box.width) + " x " + Math.round(box.height) + " " + e.outerHTML.slice(0, 120)] : []
})`

// sticksOut returns what makes a page scroll sideways.
const sticksOut = `name => {
	const room = document.documentElement.clientWidth
	if (document.scrollingElement.scrollWidth <= room) return []
	const wide = [...document.body.querySelectorAll("*")].filter(e => e.checkVisibility() &&
		e.getBoundingClientRect().right > room + 1)
	return wide.length ? wide.map(e => name + ": " + e.outerHTML.slice(0, 120)) :
		[name + ": scrolls to " + document.scrollingElement.scrollWidth + " of " + room]
}`
