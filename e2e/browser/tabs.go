package browser

// OpenTab opens another tab of the same browser, on the same screen, in the same language, with scripts or without.
func OpenTab(b *Tab) *Tab {
	b.T.Helper()
	other := NewTabIn(b.T, b.Server, b.Screen, b.Browser())
	other.Lang = b.Lang
	if b.NoScripts {
		other.BlockScripts()
	}
	return other
}

// OpenOtherBrowser opens a tab of another person's browser, on the same screen, in the same language, with scripts or
// without.
func OpenOtherBrowser(b *Tab) *Tab {
	b.T.Helper()
	other := NewTab(b.T, b.Server, b.Screen)
	other.Lang = b.Lang
	if b.NoScripts {
		other.BlockScripts()
	}
	other.ClearCookies()
	return other
}

// BringToFront shows a tab that another tab of its browser covers. Covered tabs receive no taps.
func BringToFront(b *Tab) {
	b.T.Helper()
	_, err := b.Activate()
	b.Must(err)
}
