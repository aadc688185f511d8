package page

import (
	"testing"

	"portico/assets"
	"portico/e2e/browser"
)

// sheets are the style sheets that not every page has, by their names in addresses. The back office's own sheet is not
// among them: it changes how some elements look that other pages have, too.
func sheets() map[string]string {
	return map[string]string{
		"account": assets.AccountStyle(), "flows": assets.FlowsStyle(), "landing": assets.LandingStyle(),
		"records": assets.RecordsStyle(),
	}
}

// missingStyles returns the rules that are for an element of the page, and in none of the page's style sheets.
func missingStyles(b *browser.Tab) []string {
	b.T.Helper()
	return browser.Eval[[]string](b, rulesElsewhere, sheets())
}

// rulesElsewhere compares the rules of these sheets with those that the page has. It leaves out rules for printing, and
// those for all elements of a kind. A selector is tried without the states that an element is in for a moment; what is
// no selector then is left out.
const rulesElsewhere = `sheets => {
	const rulesOf = list => [...list].flatMap(r => r.selectorText ? [r.selectorText] :
		r.cssRules && r.conditionText !== "print" ? rulesOf(r.cssRules) : [])
	const has = new Set([...document.styleSheets].flatMap(s => rulesOf(s.cssRules)))
	const faults = []
	for (const [name, text] of Object.entries(sheets)) {
		const sheet = new CSSStyleSheet()
		sheet.replaceSync(text)
		for (const selector of rulesOf(sheet.cssRules)) {
			const plain = selector.replace(/:(hover|focus-visible|focus-within|active|checked)|::[a-z-]+/g, "")
			if (has.has(selector) || /^(:root|html|\*|main|textarea|select|fieldset|\[type)/.test(plain)) continue
			try {
				if (document.querySelector(plain)) faults.push(name + ": " + selector)
			} catch { /* no selector without its states */ }
		}
	}
	return faults
}`

// wantStyled fails the test for pages that lack rules for what is on them.
func wantStyled(t *testing.T, pages []inspection) {
	t.Helper()
	for _, page := range pages {
		for _, rule := range page.lacks {
			t.Errorf("%s lacks the rule %s", page.name, rule)
		}
	}
}
