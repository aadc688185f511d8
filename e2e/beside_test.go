package e2e

// beside is another tab of the same browser.
func (b *tab) beside() *tab {
	b.t.Helper()
	other := tabOf(b.t, b.site, b.screen, b.Browser())
	other.lang = b.lang
	if b.plain {
		other.blockScripts()
	}
	return other
}

// someone is a tab of somebody else's browser, on the same screen, in the same language, with scripts or without.
func (b *tab) someone() *tab {
	b.t.Helper()
	other := newTab(b.t, b.site, b.screen)
	other.lang = b.lang
	if b.plain {
		other.blockScripts()
	}
	other.forget()
	return other
}

// toFront shows one of several tabs of a browser: those behind take no taps.
func (b *tab) toFront() {
	b.t.Helper()
	_, err := b.Activate()
	b.must(err)
}
