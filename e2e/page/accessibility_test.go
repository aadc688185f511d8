package page

import (
	"os"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
)

const axeFile = "../../node_modules/axe-core/axe.min.js"

// axeScript returns the script of axe, "" if it is not installed.
func axeScript(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(axeFile)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	return string(script)
}

// wantNoFindings checks that axe has found nothing on any page.
func wantNoFindings(t *testing.T, pages []inspection, script string) {
	t.Helper()
	if script == "" {
		t.Skip("axe-core is not installed: npm ci")
	}
	for _, s := range pages {
		for _, finding := range s.findings {
			t.Errorf("%s, %s", s.name, finding)
		}
	}
}

// axe runs all rules of axe, with good practice and target size, and in the dark scheme those about colour, because
// nothing else differs. Bars that stay when the page scrolls are put in their places meanwhile, so that they cover
// nothing.
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

// loadAxe loads axe into the page. The script is large, so the browser gets it once for all later pages of the tab.
// Each of them runs it only when asked.
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
