// Package shop has the catalogue, the cart and the orders of a customer, and the pages on which staff change products.
package shop

import (
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal"
)

// Pages shows the catalogue and orders, and shows and changes products.
type Pages struct {
	portal *portal.Portal
	path   string

	web     *web.Web
	forms   *forms.Pages
	uploads *uploads.Pages
	site    *site.Site
}

// New returns the Pages of one program.
func New(portal *portal.Portal, web *web.Web, forms *forms.Pages, uploads *uploads.Pages, site *site.Site) *Pages {
	return &Pages{
		portal: portal, path: site.Path(), web: web, forms: forms, uploads: uploads, site: site,
	}
}
