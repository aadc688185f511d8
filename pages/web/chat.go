package web

import (
	"net/http"

	"portico/locale"
	"portico/portal/access"
)

// AppName returns the provider's name in the reader's language.
func AppName(r *http.Request, provider access.ProviderName) string {
	return locale.T(r.Context(), "chat.app_"+string(provider))
}

// ForgetChat drops the cookies of an identity that is not connected yet, so that the next person at this browser cannot
// connect it.
func (p *Web) ForgetChat(w http.ResponseWriter) {
	p.DropCookie(w, IdentityCookie)
	p.DropCookie(w, LinkingCookie)
}
