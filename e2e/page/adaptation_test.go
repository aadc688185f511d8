package page

import (
	"testing"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
)

// wantAdaptive checks that pages adapt to their readers. Nothing moves if a reader prefers reduced motion. In forced
// colours every focus ring, control and drawing is visible. A bar never covers all of the element with the focus. Text
// with more spacing is not cut off.
func wantAdaptive(t *testing.T, pages []inspection) {
	t.Helper()
	for _, s := range pages {
		for _, lost := range s.lost {
			t.Errorf("%s: %s", s.name, lost)
		}
		for _, cut := range s.cutWhenSpaced {
			t.Errorf("%s: cut off with more space in its text: %s", s.name, cut)
		}
	}
}

// adaptationFaults returns what is animated although the reader prefers reduced motion, and what cannot be seen in
// forced colours or when it has the focus.
func adaptationFaults(b *browser.Tab) []string {
	b.T.Helper()
	lost := browser.Eval[[]string](b, animatedElements)
	b.Must(proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{
		{Name: "forced-colors", Value: "active"}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}.Call(b))
	browser.PressKey(b, input.ShiftLeft) // makes the browser show the focus, as for the keyboard
	lost = append(lost, browser.Eval[[]string](b, forcedColourFaults)...)
	b.SetMotion(false)
	return lost
}

// cutOffWithMoreSpace gives the text of the page the spacing of WCAG 1.4.12 and returns what is cut off.
func cutOffWithMoreSpace(b *browser.Tab) []string {
	b.T.Helper()
	browser.Eval[any](b, moreSpace, true)
	cut := append(browser.Eval[pageTexts](b, readPage).Cut, browser.Eval[[]string](b, sticksOut, "with more space")...)
	browser.Eval[any](b, moreSpace, false)
	return cut
}

// moreSpace gives all text more spacing, or takes it back.
const moreSpace = `more => {
	const sheet = new CSSStyleSheet()
	sheet.replaceSync("* { line-height: 1.5 !important; letter-spacing: .12em !important;" +
		"word-spacing: .16em !important } p { margin-bottom: 2em !important }")
	document.adoptedStyleSheets = more ? [sheet] : []
}`

// animatedElements returns what is animated.
const animatedElements = `() => [...document.querySelectorAll("body *")].filter(e => {
	const s = getComputedStyle(e)
	return e.checkVisibility() && (s.animationName !== "none" && parseFloat(s.animationDuration) > 0 ||
		s.transitionDuration.split(",").some(d => parseFloat(d) > 0))
}).map(e => "moves: " + e.outerHTML.slice(0, 120))`

// forcedColourFaults moves the focus to every focusable element and checks its ring and what covers it (WCAG 2.2,
// 2.4.11). Then it checks the borders of controls, and drawings.
const forcedColourFaults = `() => {
	if (!matchMedia("(forced-colors: active)").matches) return ["colours are not forced"]
	const lost = [], name = (what, e) => lost.push(what + ": " + e.outerHTML.slice(0, 120)),
		before = document.activeElement, at = scrollY
	const open = document.querySelector("dialog[open]") || document
	const stops = [...open.querySelectorAll(
		"a[href], button:not([disabled]), input:not([type=hidden]):not([disabled]), select, textarea, summary")]
		.filter(e => e.checkVisibility() && e.tabIndex >= 0)
	for (const e of stops) {
		e.focus()
		if (document.activeElement !== e) continue
		const s = getComputedStyle(e.matches("[type=radio], [type=checkbox], [type=file]") && e.closest("label") || e),
			own = getComputedStyle(e)
		if (![s, own].some(s => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2))
			name("no ring in forced colours", e)
		const r = (e.matches("input") && e.closest("label") || e).getBoundingClientRect()
		const xs = [r.left + 2, r.x + r.width / 2, r.right - 2], ys = [r.top + 2, r.y + r.height / 2, r.bottom - 2]
		const seen = xs.some(x => ys.some(y => {
			const hit = document.elementFromPoint(x, y)
			return hit && (e.contains(hit) || hit.contains(e)) && !hit.matches("html, body")
		}))
		if (!seen) name("covered while it has the focus", e)
	}
	before && before.focus ? before.focus() : document.activeElement.blur()
	scrollTo(0, at)
	const paper = getComputedStyle(document.body).backgroundColor
	document.querySelectorAll("input:not([type=hidden]):not([type=file]), select, textarea, .button").forEach(e => {
		const s = getComputedStyle(e)
		if (e.checkVisibility() && !e.closest(".unseen, .first") && s.appearance === "none" &&
			(s.borderTopStyle === "none" || parseFloat(s.borderTopWidth) < 1))
			name("no edge in forced colours", e)
	})
	document.querySelectorAll("svg").forEach(e => {
		const lines = [...e.querySelectorAll("path, rect, circle, line, polyline, use")]
			.filter(p => p.getBoundingClientRect().width > 0)
		const drawn = c => c !== "none" && c !== paper && !/^rgba.*, 0\)$/.test(c)
		const seen = p => [getComputedStyle(p).fill, getComputedStyle(p).stroke].some(drawn)
		if (e.checkVisibility() && lines.length && !lines.some(seen)) name("a drawing that cannot be seen", e)
	})
	return lost
}`
