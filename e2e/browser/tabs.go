package browser

// OpenTab is another tab of the same browser.
func OpenTab(b *Tab) *Tab {
	b.T.Helper()
	other := NewTabIn(b.T, b.Server, b.Screen, b.Browser())
	other.Lang = b.Lang
	if b.NoScripts {
		other.BlockScripts()
	}
	return other
}

// OpenOtherBrowser is a tab of somebody else's browser, on the same screen, in the same language, with scripts or without.
func OpenOtherBrowser(b *Tab) *Tab {
	b.T.Helper()
	other := NewTab(b.T, b.Server, b.Screen)
	other.Lang = b.Lang
	if b.NoScripts {
		other.BlockScripts()
	}
	other.StartAfresh()
	return other
}

// BringToFront shows one of several tabs of a browser: those behind take no taps.
func BringToFront(b *Tab) {
	b.T.Helper()
	_, err := b.Activate()
	b.Must(err)
}
