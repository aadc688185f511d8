// Package branding has the settings of a company's look, icon and domains.
package branding

import (
	"portico/pages/forms"
	signinpages "portico/pages/signin"
	"portico/pages/site"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/branding"
	"portico/portal/core"
)

// Portal has what these pages call.
type Portal struct {
	Core     *core.Core
	Branding *branding.Branding
}

// Pages shows the settings of a company's look and domains.
type Pages struct {
	portal Portal
	path   string

	request *web.Requests
	web     *web.Web
	forms   *forms.Pages
	uploads *uploads.Pages
	site    *site.Site
	signin  *signinpages.Pages
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	request *web.Requests,
	web *web.Web,
	forms *forms.Pages,
	uploads *uploads.Pages,
	site *site.Site,
	signin *signinpages.Pages,
) *Pages {
	return &Pages{
		portal:  portal,
		path:    o.Path,
		request: request,
		web:     web,
		forms:   forms,
		uploads: uploads,
		site:    site,
		signin:  signin,
	}
}
