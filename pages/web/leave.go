package web

import (
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/signin"
	"portico/store"
)

// LeaveFor sends the browser to a landing site with an auth code. The Referer names this origin and nothing else, for
// IsForeign. After a redirect the browser still reports the site where the navigation began, so a request from another
// site, like a chat app's callback, gets a page that opens the landing site by itself. So does a company's own domain,
// because browsers apply the form-action of a page to the redirects of its forms.
func (p *Web) LeaveFor(w http.ResponseWriter, r *http.Request, to signin.Redirect) error {
	w.Header().Set("Referrer-Policy", "strict-origin")
	if p.core.Access.OnPlatform(to.URL) && !p.IsForeign(r) {
		return SeeOther(w, to.URL)
	}
	heading := "leave.heading"
	if to.Slot == store.MobileShop || to.Slot == store.PCShop {
		heading = "leave.shop"
	}
	s := p.Shell(r, "", true)
	s.State, s.Refresh = true, to.URL
	return p.Render(w, r, http.StatusOK, s, components.StatePage(components.State{
		Scene: components.SceneOpen, Owner: HostOwner(r), Heading: locale.T(r.Context(), heading),
		Action: locale.T(r.Context(), "login.continue"), Href: to.URL,
	}))
}

// IsForeign reports whether a request that opens a page did not come from one of the platform's own pages.
//
// Sec-Fetch-Site says where the navigation began, redirects included. It does not help on a company's own domain, which
// is another site, nor in dev below localhost, where each host is a site of its own: there the Referer has to name a
// host of the platform. An address that was typed, scanned or tapped in a message ("none") is foreign too, except in
// the native app, which opens the addresses that the API gave it. Old web views do not send the header; they are
// trusted.
func (p *Web) IsForeign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin":
		return false
	case "none":
		return p.Native(r).System == ""
	case "same-site":
		if !PlaceOf(r.Context()).OwnDomain {
			return false
		}
	}
	return !p.core.Access.OnPlatform(r.Referer())
}
