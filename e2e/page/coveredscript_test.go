package page

// coveredOrCut returns what is covered or cut off on a page, each with the reason. It compares boxes of the same layer:
// what scrolls with the page, or what a bar or a dialog holds.
const coveredOrCut = `() => {
	const page = document.documentElement, room = page.clientWidth, faults = new Map(), styles = new Map()
	const style = e => styles.get(e) || styles.set(e, getComputedStyle(e)).get(e)
	const modal = document.querySelector("dialog:modal")
	// one report for all elements that look alike
	const report = (why, e, text) => faults.set(why + e.tagName + e.className, why + ": " +
		(text || "").trim().slice(0, 60) + " in " + e.outerHTML.replace(/\s+/g, " ").slice(0, 130))
	const shown = e => e.checkVisibility({visibilityProperty: true, opacityProperty: true}) &&
		!e.closest(".unseen, .skip, .first") && (!modal || modal.contains(e))
	const layer = e => {
		for (; e && e !== document.body; e = e.parentElement) {
			const s = style(e)
			if (["fixed", "sticky"].includes(s.position) || s.position === "absolute" && s.zIndex !== "auto") return e
		}
		return null
	}
	const amount = text => /[¥$€]\s?\d/.test(text)
	const number = (e, text) => amount(text) || /^[\s\d.,:%+/-]*\d[\s\d.,:%+/-]*$/.test(text)
	const linesOf = boxes => {
		const rows = []
		for (const b of boxes) {
			const isBeside = r =>
				Math.min(r.bottom, b.bottom) - Math.max(r.top, b.top) > Math.min(b.height, r.height) / 2
			if (!rows.some(isBeside)) rows.push(b)
		}
		return rows.length
	}
	const scrolls = s => ["auto", "scroll"].includes(s), hides = s => ["hidden", "clip"].includes(s)

	// Reports what ancestors cut off of the boxes of e, and returns how far to the right they can be seen.
	const cut = (e, boxes, text, isNumber) => {
		let left = Math.min(...boxes.map(b => b.left)), right = Math.max(...boxes.map(b => b.right)),
			bottom = Math.max(...boxes.map(b => b.bottom)), inScroller = false
		for (let up = e; up && up !== document.body; up = up.parentElement) {
			const s = style(up)
			if (s.display === "inline" || s.display === "contents") continue
			const box = up.getBoundingClientRect()
			if (scrolls(s.overflowX)) inScroller = true
			if (hides(s.overflowX) && !inScroller && (right > box.right + 1 || left < box.left - 1)) {
				if (s.textOverflow !== "ellipsis") report("cut off at the side", up, text)
				else if (isNumber) report("a number with an ellipsis", up, text)
				left = Math.max(left, box.left)
				right = Math.min(right, box.right)
			}
			if (hides(s.overflowY) && bottom > box.bottom + 2 && !inScroller) {
				if (s.webkitLineClamp === "none" || isNumber) report("cut off below", up, text)
				bottom = box.bottom
			}
			if (["fixed", "absolute"].includes(s.position) && box.right <= 0) return right
		}
		if (!inScroller && (right > room + 1 || left < -1)) report("outside the window", e, text)
		return right
	}

	const texts = [], walker = document.createTreeWalker(modal || document.body, NodeFilter.SHOW_TEXT)
	const range = document.createRange()
	while (walker.nextNode()) {
		const node = walker.currentNode, e = node.parentElement
		if (!node.data.trim() || !shown(e) ||
			e.closest("select, textarea, script, style, template, noscript, svg, datalist")) continue
		range.selectNodeContents(node)
		const boxes = [...range.getClientRects()].filter(b => b.width > 1)
		if (!boxes.length) continue
		const text = node.data, isNumber = number(e, text)
		const right = cut(e, boxes, text, isNumber)
		if (amount(text) && text.length < 24 && linesOf(boxes) > 1) report("an amount over several lines", e, text)
		texts.push({e, text, layer: layer(e), boxes: boxes.map(b =>
			({left: b.left, top: b.top, right: Math.min(b.right, right), bottom: b.bottom, height: b.height}))})
	}

	const controls = [...(modal || document.body).querySelectorAll(
		"button, .button, input:not([type=hidden]), select, textarea, summary, .stepper, .chip")]
		.filter(e => shown(e) && e.getBoundingClientRect().width > 1)
	// The area of a radio button may be its whole label.
	const painted = e => !["radio", "checkbox"].includes(e.type) || parseFloat(style(e).borderTopWidth) > 0 ||
		style(e).appearance !== "none"
	const over = (a, b, x, y) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > x &&
		Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > y
	for (const c of controls) {
		const box = c.getBoundingClientRect(), on = layer(c)
		cut(c, [box], "", false)
		if (c.matches("input") && number(c, c.value) && c.scrollWidth > c.clientWidth + 1)
			report("a field that cuts off its number", c, c.value)
		for (const t of texts) {
			if (t.layer !== on || c.contains(t.e) || !painted(c)) continue
			if (t.boxes.some(b => over(b, box, 1, 1))) report("text under a control", c, t.text)
		}
	}
	for (const e of (modal || document.body).querySelectorAll("svg, img, canvas")) {
		const box = e.getBoundingClientRect(), on = layer(e)
		if (box.width < 32 || !shown(e)) continue
		cut(e, [box], "", false)
		for (const t of texts) {
			if (t.layer === on && t.boxes.some(b => over(b, box, 1, 1))) report("text over a picture", e, t.text)
		}
	}
	texts.forEach((a, i) => {
		for (const b of texts.slice(i + 1)) {
			if (a.layer !== b.layer) continue
			if (a.boxes.some(x => b.boxes.some(y => over(x, y, 1, Math.min(x.height, y.height) / 3))))
				report("text over text", a.e, a.text + " | " + b.text)
		}
	})

	// buttons
	for (const c of controls.filter(e => e.matches(".button, button:not(.line), .chip"))) {
		const inside = texts.filter(t => c.contains(t.e))
		if (inside.length && inside.every(t => t.e === c || style(t.e).display === "inline") &&
			linesOf(inside.flatMap(t => t.boxes)) > 1)
			report("a button broken over lines", c, c.innerText)
	}
	for (const bar of document.querySelectorAll(".decide, .actions, .save-bar, .actbar")) {
		const inside = [...bar.querySelectorAll(".button")].filter(shown)
			.map(e => ({e, box: e.getBoundingClientRect()}))
		inside.forEach((a, i) => inside.slice(i + 1).forEach(b => {
			const beside = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > 8
			if (beside && Math.abs(a.box.height - b.box.height) > 1)
				report("buttons of two heights", b.e, a.e.innerText + " | " + b.e.innerText)
			if (beside && bar.matches(".record .decide") && Math.abs(a.box.width - b.box.width) > 2)
				report("buttons of two widths", b.e, a.e.innerText + " | " + b.e.innerText)
		}))
	}

	// the country's code stands on the line of its number
	for (const e of document.querySelectorAll(".dial")) {
		const s = getComputedStyle(e, "::before"), field = e.querySelector("input")
		if (!shown(field)) continue
		const middle = parseFloat(s.top) + parseFloat(s.height) / 2 + e.getBoundingClientRect().top
		const box = field.getBoundingClientRect()
		if (Math.abs(middle - box.top - box.height / 2) > 1) report("the country's code is not beside its number", e)
	}

	// the focus
	const before = document.activeElement, at = scrollY
	const stops = [...(modal || document).querySelectorAll(
		"a[href], button:not([disabled]), input:not([type=hidden]):not([disabled]), select, textarea, summary")]
		.filter(e => e.tabIndex >= 0 && shown(e))
	for (const e of stops) {
		e.focus()
		if (document.activeElement !== e) continue
		const box = (e.matches("[type=radio], [type=checkbox], [type=file]") && e.closest("label") || e)
			.getBoundingClientRect()
		if (box.height > innerHeight / 3) continue
		// A browser scrolls so far that the first line of a text can be seen.
		if (e.matches("textarea")) box.height = 40
		for (const [x, y] of [[box.left + 3, box.top + 3], [box.right - 3, box.top + 3], [box.left + 3, box.bottom - 3],
			[box.right - 3, box.bottom - 3], [box.x + box.width / 2, box.y + box.height / 2]]) {
			const hit = document.elementFromPoint(x, y), bar = hit && layer(hit)
			if (bar && !bar.contains(e)) { report("under a bar while it has the focus", e, e.innerText); break }
		}
	}
	before && before.focus ? before.focus({preventScroll: true}) : document.activeElement.blur()
	scrollTo(0, at)
	return [...faults.values()]
}`
