package e2e

import "testing"

// The narrowest phone, and a desktop window at 200 % zoom.
var (
	narrow = screen{"320 px", 320, 640, 1, true}
	zoomed = screen{"200 %", 640, 400, 2, false}
)

// Console errors, stopped contents and requests to other hosts fail every test; see tab.watch.
func TestEveryPageFitsAndCanBeTouched(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, phone)
	b.eachView(phone, func(name string) {
		for _, small := range ask[[]string](b, touchTargets, 24, 48) {
			t.Errorf("%s: too small to touch: %s", name, small)
		}
		for _, on := range []screen{narrow, zoomed} {
			b.on(on)
			for _, wide := range ask[[]string](b, tooWide) {
				t.Errorf("%s at %s is too wide: %s", name, on.name, wide)
			}
		}
	})
}

// touchTargets names links and buttons smaller than the smallest size allowed, and fields and buttons of the
// main content smaller than the size of main controls; those that take an entry off a list are none. Links
// within a line of text are excused (WCAG 2.2, 2.5.8), and so is the link to the content, which is only there
// for the keyboard.
const touchTargets = `(least, main) => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea")].flatMap(e => {
	const box = (["checkbox", "radio"].includes(e.type) && e.closest("label") || e).getBoundingClientRect()
	if (!e.checkVisibility() || box.right <= 0 || getComputedStyle(e).display === "inline") return []
	const need = e.closest("main") && e.matches("input:not([type=checkbox]):not([type=radio]), select, textarea, button:not([value=remove]):not([value=end_device])") ? main : least
	return box.height < need || box.width < least ? [Math.round(box.width) + " x " + Math.round(box.height) + " " + e.outerHTML.slice(0, 120)] : []
})`

// tooWide names what makes a page scroll sideways.
const tooWide = `() => {
	const room = document.documentElement.clientWidth
	if (document.scrollingElement.scrollWidth <= room) return []
	const wide = [...document.body.querySelectorAll("*")].filter(e => e.checkVisibility() && e.getBoundingClientRect().right > room + 1)
	return wide.length ? wide.map(e => e.outerHTML.slice(0, 120)) : ["scrolls to " + document.scrollingElement.scrollWidth + " of " + room]
}`
