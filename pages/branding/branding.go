// Package branding has the settings of a company's look, icon and domains.
package branding

import (
	"portico/pages/forms"
	signinpages "portico/pages/signin"
	"portico/pages/site"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal"
)

// Pages shows the settings of a company's look and domains.
type Pages struct {
	portal *portal.Portal
	path   string

	web     *web.Web
	forms   *forms.Pages
	uploads *uploads.Pages
	site    *site.Site
	signin  *signinpages.Pages
}

// New returns the Pages of one program.
func New(
	portal *portal.Portal, web *web.Web, forms *forms.Pages, uploads *uploads.Pages, site *site.Site,
	signin *signinpages.Pages,
) *Pages {
	return &Pages{
		portal:  portal,
		path:    site.Path(),
		web:     web,
		forms:   forms,
		uploads: uploads,
		site:    site,
		signin:  signin,
	}
}
