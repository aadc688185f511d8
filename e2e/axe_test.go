package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

func TestAxeFindsNothing(t *testing.T) {
	t.Parallel()
	script := axe(t)
	for _, on := range screens {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, normal, on)
			b.eachView(on, func(name string) {
				_, err := proto.RuntimeEvaluate{Expression: script}.Call(b)
				b.must(err)
				for _, scheme := range []string{"light", "dark"} {
					b.look(scheme)
					for _, finding := range b.findings() {
						t.Errorf("%s, %s: %s", name, scheme, finding)
					}
				}
			})
		})
	}
}

// findings runs all of axe's rules, good practice included, and the size of touch targets besides.
func (b *tab) findings() []string {
	b.t.Helper()
	return ask[[]string](b, `async () => {
		const {violations} = await axe.run(document, {resultTypes: ["violations"], rules: {"target-size": {enabled: true}}})
		return violations.flatMap(v => v.nodes.map(n => v.id + ": " + v.help + ": " + n.html.slice(0, 160) + " " + n.failureSummary.split("\n").slice(1).join(" ")))
	}`)
}

// axe reads axe-core as npm installed it.
func axe(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("axe-core is not installed: npm ci")
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(script))
}
