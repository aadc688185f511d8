// Package signin has the pages to sign in and to choose a company or an account.
package signin

import (
	"net/url"

	entrypages "portico/pages/entry"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal"
)

// Pages shows the sign-in pages, the choice of a company and the list of accounts.
type Pages struct {
	portal *portal.Portal
	base   *url.URL

	web       *web.Web
	forms     *forms.Pages
	entry     *entrypages.Pages
	chatlogin *ChatPages
}

// New returns the Pages of one program.
func New(
	portal *portal.Portal, web *web.Web, forms *forms.Pages, entry *entrypages.Pages, chatlogin *ChatPages,
) *Pages {
	return &Pages{
		portal:    portal,
		base:      web.Platform.Base,
		web:       web,
		forms:     forms,
		entry:     entry,
		chatlogin: chatlogin,
	}
}
