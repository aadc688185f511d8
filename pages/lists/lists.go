// Package lists has the lists of the back office: orders, customers, applications, people, products and the activity
// log.
package lists

import (
	"log/slog"
	"portico/portal/core"

	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/application"
	"portico/portal/lists"
	"portico/portal/shop"
)

// Portal has what these pages call.
type Portal struct {
	Core        *core.Core
	Application *application.Application
	Lists       *lists.Lists
	Shop        *shop.Shop
}

// Pages shows the lists.
type Pages struct {
	portal Portal
	path   string
	log    *slog.Logger

	request *web.Requests
	web     *web.Web
	forms   *forms.Pages
	site    *site.Site
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	request *web.Requests,
	web *web.Web,
	forms *forms.Pages,
	site *site.Site,
) *Pages {
	return &Pages{portal: portal, path: o.Path, log: o.Log, request: request, web: web, forms: forms, site: site}
}
