package page

import (
	"testing"

	"portico/e2e/browser"
)

func TestPageOfPiecesShowsBothSchemesWhateverTheSystemsIs(t *testing.T) {
	t.Parallel()
	b := browser.NewTab(t, browser.Normal, browser.Phone)
	for scheme, want := range map[string]string{"light": "rgb(234, 239, 244)", "dark": "rgb(13, 19, 26)"} {
		for _, system := range []string{"light", "dark"} {
			browser.SetColourScheme(b, system)
			b.Visit("account", "/dev/pieces?theme=d9480f&scheme="+scheme)
			b.WantStatus(200)
			if got := browser.Eval[string](b, `() => getComputedStyle(document.body).backgroundColor`); got != want {
				t.Errorf("%s on a %s system: %s, want %s", scheme, system, got, want)
			}
			if wide := browser.Eval[int](b, `() => document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("%s: %d px too wide", scheme, wide)
			}
		}
	}
}
