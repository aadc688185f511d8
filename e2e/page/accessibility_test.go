package page

import (
	"os"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
)

const axeFile = "../../node_modules/axe-core/axe.min.js"

// axeScript is the program of axe, "" where it is not installed.
func axeScript(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(axeFile)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	return string(script)
}

func wantNoFindings(t *testing.T, seen []sight, script string) {
	t.Helper()
	if script == "" {
		t.Skip("axe-core is not installed: npm ci")
	}
	for _, s := range seen {
		for _, finding := range s.findings {
			t.Errorf("%s, %s", s.name, finding)
		}
	}
}

// axe runs all of its rules, good practice included, and the size of touch targets besides; in the dark those of colour
// alone, which is all that differs. Bars that
// stay while the page is scrolled lie in their places meanwhile: what they cover now is not covered for good.
func axe(b *browser.Tab, script string) (findings []string) {
	b.T.Helper()
	loadAxe(b, script)
	const stay = `position => document.querySelectorAll(".menu, .try").forEach(e => { e.style.position = position })`
	browser.Eval[any](b, stay, "static")
	defer browser.Eval[any](b, stay, "")
	for _, scheme := range []string{"dark", "light"} {
		browser.SetColourScheme(b, scheme)
		findings = append(findings, browser.Eval[[]string](b, `async scheme => {
			const rules = scheme == "dark" ?
				{runOnly: ["color-contrast", "link-in-text-block"]} : {rules: {"target-size": {enabled: true}}}
			const {violations} = await axe.run(document, {resultTypes: ["violations"], ...rules})
			return violations.flatMap(v => v.nodes.map(n => scheme + ": " + v.id + ": " + n.html.slice(0, 160) + " " +
				n.failureSummary.split("\n").slice(1).join(" ")))
		}`, scheme)...)
	}
	return findings
}

// loadAxe brings axe into the page. It is large: the browser gets it once for all pages of the tab to come, each of
// which runs it when it is called for.
func loadAxe(b *browser.Tab, script string) {
	b.T.Helper()
	if browser.Eval[bool](b, `() => { window.runAxe?.(); return "axe" in window }`) {
		return
	}
	_, err := proto.PageAddScriptToEvaluateOnNewDocument{Source: "window.runAxe = () => {" + script + "\n}"}.Call(b)
	b.Must(err)
	_, err = proto.RuntimeEvaluate{Expression: script}.Call(b)
	b.Must(err)
}
