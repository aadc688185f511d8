package browser

import (
	"os"
	"slices"
	"strings"
	"testing"

	"portico/e2e/program"
	"portico/e2e/testscope"
)

// Mode is a screen, with scripts or without, and the language of the pages.
type Mode struct {
	Screen    Screen
	NoScripts bool
	Lang      string // "zh", "es" or "en"; "" is the language of the browser
}

// Scripted returns the mode with scripts on a screen, in a language.
func Scripted(on Screen, lang string) Mode { return Mode{on, false, lang} }

// ScriptsOff returns the mode without scripts on a screen, in a language.
func ScriptsOff(on Screen, lang string) Mode { return Mode{on, true, lang} }

// langs are the languages of the pages, in the order in which they take turns.
var langs = []string{"zh", "es", "en"}

// name says in the name of a subtest what the mode is.
func (m Mode) name() string {
	scripts := "with scripts"
	if m.NoScripts {
		scripts = "without scripts"
	}
	return m.Screen.Name + " " + scripts + " " + m.Lang
}

// next returns a mode with a screen and scripts in the language whose turn it is after that of m.
func (m Mode) next(screen Screen, noScripts bool) Mode {
	return Mode{screen, noScripts, langs[(slices.Index(langs, m.Lang)+1)%len(langs)]}
}

// opposite returns the mode on the other screen, with scripts if m is without.
func (m Mode) opposite() Mode {
	if m.Screen.Mobile {
		return m.next(Desktop, !m.NoScripts)
	}
	return m.next(Phone, !m.NoScripts)
}

// everyMode returns m and the three other pairs of a screen and scripts. The languages take turns.
func (m Mode) everyMode() []Mode {
	crossed := m.opposite()
	return []Mode{m, crossed, crossed.next(m.Screen, !m.NoScripts), m.next(crossed.Screen, m.NoScripts)}
}

// InOneMode runs a test in the mode that it names, in make test-all, too.
func InOneMode(t *testing.T, m Mode, test func(b *Tab, text func(key string) string)) {
	t.Helper()
	InModes(t, []Mode{m}, test)
}

// InMode runs a test in the mode that it names. In make test-all it runs it in the opposite mode, too. It is for flows
// in which screen and scripts do not depend on each other. text looks up texts in the language of the mode.
func InMode(t *testing.T, m Mode, test func(b *Tab, text func(key string) string)) {
	t.Helper()
	InModes(t, []Mode{m, m.opposite()}, test)
}

// InEveryMode runs a test in the mode that it names. In make test-all it runs it on both screens, each with scripts and
// without.
func InEveryMode(t *testing.T, m Mode, test func(b *Tab, text func(key string) string)) {
	t.Helper()
	InModes(t, m.everyMode(), test)
}

// InModes runs a test in the first of some modes. In make test-all it runs it in each of them, and with
// PORTICO_EVERY_MODE on both screens, with scripts and without, in every language.
func InModes(t *testing.T, modes []Mode, test func(b *Tab, text func(key string) string)) {
	t.Helper()
	switch {
	case os.Getenv("PORTICO_EVERY_MODE") != "":
		modes = nil
		for _, lang := range langs {
			modes = append(modes, Scripted(Phone, lang), ScriptsOff(Phone, lang),
				Scripted(Desktop, lang), ScriptsOff(Desktop, lang))
		}
	case !testscope.All():
		modes = modes[:1]
	}
	for _, m := range modes {
		inMode(t, m, test)
	}
}

// inMode runs a test in one mode.
func inMode(t *testing.T, m Mode, test func(b *Tab, text func(key string) string)) {
	t.Helper()
	t.Run(m.name(), func(t *testing.T) {
		b := m.open(t)
		b.ClearCookies()
		test(b, program.Texts(t, b.Lang))
	})
}

// open opens a tab in the mode. It skips the test if it needs scripts that were not built.
func (m Mode) open(t *testing.T) *Tab {
	t.Helper()
	open := NewScriptedTab
	if m.NoScripts {
		open = NewTab
	}
	b := open(t, Normal, m.Screen)
	if m.NoScripts {
		b.BlockScripts()
	}
	b.Lang = m.Lang
	return b
}

// WithAndWithoutScripts runs a test in the mode that it names. In make test-all it runs it on the same screen both with
// scripts and with scripts blocked. A mode without a language leaves the pages in that of the browser.
func WithAndWithoutScripts(t *testing.T, m Mode, test func(b *Tab)) {
	t.Helper()
	inHalves(t, []Mode{m, {m.Screen, !m.NoScripts, m.Lang}}, test)
}

// OnEachScreen runs a test in the mode that it names. In make test-all it runs it on both screens, with scripts and
// with scripts blocked, in the same language.
func OnEachScreen(t *testing.T, m Mode, test func(b *Tab)) {
	t.Helper()
	other := m.opposite().Screen
	inHalves(t, []Mode{
		m, {m.Screen, !m.NoScripts, m.Lang}, {other, m.NoScripts, m.Lang}, {other, !m.NoScripts, m.Lang},
	}, test)
}

// inHalves runs a test in the first of some modes, and in each of them in make test-all.
func inHalves(t *testing.T, modes []Mode, test func(b *Tab)) {
	t.Helper()
	if !testscope.All() {
		modes = modes[:1]
	}
	for _, m := range modes {
		t.Run(strings.TrimSpace(m.name()), func(t *testing.T) { test(m.open(t)) })
	}
}
