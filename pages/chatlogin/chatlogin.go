// Package chatlogin has the pages of a sign-in by WeChat or WeCom.
package chatlogin

import (
	entrypages "portico/pages/entry"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal"
)

// Pages shows the pages of a sign-in by WeChat or WeCom.
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
