// Package overview has the first page of a back office.
package overview

import (
	shoppages "portico/pages/shop"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/office"
)

// Portal has what these pages call.
type Portal struct {
	Overview *office.Overview
}

// Pages shows the first page of a back office.
type Pages struct {
	portal Portal
	path   string

	web  *web.Web
	site *site.Site
	shop *shoppages.Pages
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	web *web.Web,
	site *site.Site,
	shop *shoppages.Pages,
) *Pages {
	return &Pages{portal: portal, path: o.Path, web: web, site: site, shop: shop}
}
