// Package credentials has the pages to bind a phone, change a password and edit a profile.
package credentials

import (
	entrypages "portico/pages/entry"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal"
)

// Pages shows the pages for phones, passwords and the profile.
type Pages struct {
	portal *portal.Portal

	web   *web.Web
	forms *forms.Pages
	entry *entrypages.Pages
}

// New returns the Pages of one program.
func New(portal *portal.Portal, web *web.Web, forms *forms.Pages, entry *entrypages.Pages) *Pages {
	return &Pages{
		portal: portal,
		web:    web,
		forms:  forms,
		entry:  entry,
	}
}
