// Package landing has the first page of each site, where auth codes are redeemed.
package landing

import (
	entrypages "portico/pages/entry"
	officepages "portico/pages/office"
	shoppages "portico/pages/shop"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// Portal has what these pages call.
type Portal struct {
	Core     *core.Core
	Accounts *signin.Accounts
	Landing  *signin.Landing
}

// Pages shows the first page of a site and redeems auth codes.
type Pages struct {
	portal Portal
	path   string
	slot   store.Slot

	request *web.Requests
	web     *web.Web
	entry   *entrypages.Pages
	site    *site.Site
	shop    *shoppages.Pages
	office  *officepages.Pages
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	request *web.Requests,
	web *web.Web,
	entry *entrypages.Pages,
	site *site.Site,
	shop *shoppages.Pages,
	office *officepages.Pages,
) *Pages {
	return &Pages{
		portal:  portal,
		path:    o.Path,
		slot:    o.Slot,
		request: request,
		web:     web,
		entry:   entry,
		site:    site,
		shop:    shop,
		office:  office,
	}
}
