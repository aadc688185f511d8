// Package application has the pages on which a business applies to become a company's customer.
package application

import (
	"net/url"

	"portico/pages/forms"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal"
)

// Pages shows the application form and the state of an application to the applicant.
type Pages struct {
	portal *portal.Portal
	base   *url.URL

	web     *web.Web
	forms   *forms.Pages
	uploads *uploads.Pages
}

// New returns the Pages of one program.
func New(portal *portal.Portal, web *web.Web, forms *forms.Pages, uploads *uploads.Pages) *Pages {
	return &Pages{
		portal:  portal,
		base:    web.Platform.Base,
		web:     web,
		forms:   forms,
		uploads: uploads,
	}
}
