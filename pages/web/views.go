package web

import (
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/store"
)

// PageLink is a link under a form or on a page.
type PageLink struct{ Label, Href string }

// Choice is one option of a group of check boxes, radio buttons or links.
type Choice struct {
	Value, Label string
	Chosen       bool
}

// Chip is a short label with a state. Kind is "ok", "warn", "bad" or "".
type Chip struct{ Kind, Text string }

// DeviceLine is one browser or program in which the person is signed in, or one connected chat app.
type DeviceLine struct {
	What, Detail string
	Icon         string // the symbol of what it is
	Ref          string // its id in the form that revokes it; "" for this browser, which the sign-out button signs out
}

// AgreeField returns the check box that accepts the service agreement.
func AgreeField(r *http.Request, agreed bool) components.Field {
	f := components.Field{Kind: components.KindAgree, ID: "agree", Label: locale.T(r.Context(), "register.agree")}
	if agreed {
		f.Value = "1"
	}
	return f
}

// TypeName returns an account type as the digit that ends its locale key.
func TypeName(kind int) string { return string(rune('0' + kind)) }

// AccountLabel returns the label of an account: "Li (li.lights)", or the login alone when the account has no name.
func AccountLabel(m store.Member) string {
	if m.Name != "" {
		return m.Name + " (" + m.Login + ")"
	}
	return m.Login
}

// ProfileAddress returns the address of the profile of an account.
func ProfileAddress(accountID int64) string {
	return ProfilePath + "?account_id=" + Decimal(accountID)
}
