package e2e

import (
	"os"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

const axeFile = "../node_modules/axe-core/axe.min.js"

func TestAxeFindsNothing(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(axeFile); err != nil && os.Getenv("CI") == "" {
		t.Skip("axe-core is not installed: npm ci")
	} else if err != nil {
		t.Fatal(err)
	}
	for _, on := range screens {
		for _, s := range sights(t, on) {
			for _, finding := range s.findings {
				t.Errorf("%s on a %s, %s", s.name, on.name, finding)
			}
		}
	}
}

// axe runs all of its rules, good practice included, and the size of touch targets besides; in the dark those of colour
// alone, which is all that differs. Bars that
// stay while the page is scrolled lie in their places meanwhile: what they cover now is not covered for good.
func (b *tab) axe(script string) (findings []string) {
	b.t.Helper()
	_, err := proto.RuntimeEvaluate{Expression: script}.Call(b)
	b.must(err)
	const stay = `position => document.querySelectorAll(".menu, .try").forEach(e => { e.style.position = position })`
	ask[any](b, stay, "static")
	defer ask[any](b, stay, "")
	for _, scheme := range []string{"dark", "light"} {
		b.look(scheme)
		findings = append(findings, ask[[]string](b, `async scheme => {
			const rules = scheme == "dark" ? {runOnly: ["color-contrast", "link-in-text-block"]} : {rules: {"target-size": {enabled: true}}}
			const {violations} = await axe.run(document, {resultTypes: ["violations"], ...rules})
			return violations.flatMap(v => v.nodes.map(n => scheme + ": " + v.id + ": " + n.html.slice(0, 160) + " " + n.failureSummary.split("\n").slice(1).join(" ")))
		}`, scheme)...)
	}
	return findings
}
