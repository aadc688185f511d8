package web

import (
	"net/http"

	"portico/pages/request"
	"portico/portal/access"
	"portico/portal/limits"
	"portico/store"
)

// DeviceLine is one browser or program in which the person is signed in, or one connected chat app.
type DeviceLine struct {
	What, Detail string
	Ref          string // its id in the form that revokes it; "" for this browser, which the sign-out button signs out
}

// TypeName returns an account type as the digit that ends its locale key.
func TypeName(kind int) string { return string(rune('0' + kind)) }

// SignedIn returns the session of the person who is signed in on this host. It returns LoginRequired when nobody is.
func (p *Web) SignedIn(r *http.Request) (access.Session, error) {
	s, err := p.request.Session(r)
	if err != nil {
		return s, err
	}
	if limits.PersonOwner(s).Nobody() {
		return s, access.LoginRequired
	}
	return s, nil
}

// Who returns the label of an account: "Li (li.lights)", or the login alone when the account has no name.
func Who(m store.Member) string {
	if m.Name != "" {
		return m.Name + " (" + m.Login + ")"
	}
	return m.Login
}

// ByName reports whether the path is the one where people sign in by account name.
func ByName(path string) bool { return path == "/login/account" }

// ProfileOf returns the address of the profile of an account.
func ProfileOf(accountID int64) string {
	return request.ProfilePath + "?account_id=" + request.Decimal(accountID)
}
