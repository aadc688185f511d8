package browser

import (
	"os"
	"slices"
	"testing"

	"portico/e2e/program"
	"portico/testscope"
)

// Mode is a screen, with scripts or without, and the language of the pages.
type Mode struct {
	Screen    Screen
	NoScripts bool
	Lang      string // "zh", "es" or "en"
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
		b := NewTab(t, Normal, m.Screen)
		if m.NoScripts {
			b.BlockScripts()
		} else if !HasScripts {
			t.Skip("the scripts are not built: npm run build")
		}
		b.Lang = m.Lang
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
