// Package onboarding has the pages to register a company and to try the product.
package onboarding

import (
	"net/url"

	applicationpages "portico/pages/application"
	entrypages "portico/pages/entry"
	"portico/pages/forms"
	signinpages "portico/pages/signin"
	"portico/pages/web"
	"portico/portal"
)

// Pages shows the pages of registration and trial.
type Pages struct {
	portal *portal.Portal
	base   *url.URL

	web         *web.Web
	forms       *forms.Pages
	entry       *entrypages.Pages
	chatlogin   *signinpages.ChatPages
	application *applicationpages.Pages
}

// New returns the Pages of one program.
func New(
	portal *portal.Portal, web *web.Web, forms *forms.Pages, entry *entrypages.Pages,
	chatlogin *signinpages.ChatPages, application *applicationpages.Pages,
) *Pages {
	return &Pages{
		portal:      portal,
		base:        web.Platform.Base,
		web:         web,
		forms:       forms,
		entry:       entry,
		chatlogin:   chatlogin,
		application: application,
	}
}
