// Package shop has the catalogue, the cart and the orders of a customer, and the pages on which staff change products.
package shop

import (
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/core"
	"portico/portal/office"
	"portico/portal/shop"
)

// Portal has what these pages call.
type Portal struct {
	Core       *core.Core
	Backoffice *office.Backoffice
	Shop       *shop.Shop
}

// Pages shows the catalogue and orders, and shows and changes products.
type Pages struct {
	portal Portal
	path   string

	request *web.Requests
	web     *web.Web
	forms   *forms.Pages
	uploads *uploads.Pages
	site    *site.Site
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
) *Pages {
	return &Pages{
		portal: portal, path: o.Path, request: request, web: web, forms: forms, uploads: uploads, site: site,
	}
}
