package onboarding

import (
	"portico/e2e/browser"
)

// wantChosen checks that a box or card is chosen.
func wantChosen(b *browser.Tab, control string) {
	b.T.Helper()
	if !browser.Eval[bool](b, `s => document.querySelector(s).checked`, control) {
		b.T.Errorf("%s is not chosen at %s", control, b.Address())
	}
}
