package browser

import (
	"os"
	"testing"

	"portico/e2e/program"
)

// Mode is a screen, with scripts or without.
type Mode struct {
	Screen    Screen
	NoScripts bool
}

// everyMode is a phone and a desktop, each with scripts and without.
var everyMode = []Mode{{Phone, false}, {Phone, true}, {Desktop, false}, {Desktop, true}}

// InEveryMode runs a test on a phone and a desktop, each with scripts and without. The languages take turns, so that a
// test meets all of them. text looks up texts in the language of the mode.
func InEveryMode(t *testing.T, test func(b *Tab, text func(key string) string)) {
	t.Helper()
	InModes(t, everyMode, test)
}

// InTwoModes is InEveryMode in half the time: with scripts on one screen and without on the other. It is for tests in
// which screen and scripts do not depend on each other.
func InTwoModes(t *testing.T, test func(b *Tab, text func(key string) string)) {
	t.Helper()
	plain := len(t.Name())%2 == 1
	InModes(t, []Mode{{Phone, plain}, {Desktop, !plain}}, test)
}

// InModes runs a test in each of some modes. With PORTICO_EVERY_MODE it runs it on both screens, with scripts and
// without, in every language.
func InModes(t *testing.T, modes []Mode, test func(b *Tab, text func(key string) string)) {
	t.Helper()
	langs, turn := []string{"zh", "es", "en"}, len(t.Name())
	if os.Getenv("PORTICO_EVERY_MODE") != "" {
		for _, lang := range langs {
			for _, m := range everyMode {
				inMode(t, m, lang, test)
			}
		}
		return
	}
	for i, m := range modes {
		inMode(t, m, langs[(turn+i)%len(langs)], test)
	}
}

// inMode runs a test in one mode and language.
func inMode(t *testing.T, m Mode, lang string, test func(b *Tab, text func(key string) string)) {
	t.Helper()
	what := map[bool]string{false: "with scripts", true: "without scripts"}[m.NoScripts]
	t.Run(m.Screen.Name+" "+what+" "+lang, func(t *testing.T) {
		b := NewTab(t, Normal, m.Screen)
		if m.NoScripts {
			b.BlockScripts()
		} else if !HasScripts {
			t.Skip("the scripts are not built: npm run build")
		}
		b.Lang = lang
		b.ClearCookies()
		test(b, program.Texts(t, b.Lang))
	})
}

// WithAndWithoutScripts runs a test with scripts and with scripts blocked.
func WithAndWithoutScripts(t *testing.T, on Screen, test func(b *Tab)) {
	t.Helper()
	t.Run("with scripts", func(t *testing.T) { test(NewScriptedTab(t, Normal, on)) })
	t.Run("without scripts", func(t *testing.T) {
		b := NewTab(t, Normal, on)
		b.BlockScripts()
		test(b)
	})
}
