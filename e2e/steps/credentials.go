package steps

import (
	"portico/e2e/browser"
	"portico/e2e/program"
)

// ChangePassword fills in the form of a new password and submits it.
func ChangePassword(b *browser.Tab, old string) {
	b.T.Helper()
	b.Fill("old_password", old)
	b.Fill("password", program.NewPassword)
	b.Fill("confirm_password", program.NewPassword)
	b.Follow(MainButton)
}

// OpenPhonePages opens the page with the links to password and phone.
func OpenPhonePages(b *browser.Tab) {
	b.T.Helper()
	b.Visit("account", "/security")
}

// SetValues sets the values of fields without events, whether or not the browser kept the old ones. pairs are names and
// values.
func SetValues(b *browser.Tab, pairs ...string) {
	b.T.Helper()
	for i := 0; i < len(pairs); i += 2 {
		browser.Eval[any](
			b, `(s, text) => { document.querySelector(s).value = text }`, browser.Field(pairs[i]), pairs[i+1],
		)
	}
}
