// Package lists has the lists of the back office: orders, customers, applications, people, products and the activity
// log.
package lists

import (
	"log/slog"

	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal"
)

// Pages shows the lists.
type Pages struct {
	portal *portal.Portal
	path   string
	log    *slog.Logger

	web   *web.Web
	forms *forms.Pages
	site  *site.Site
}

// New returns the Pages of one program.
func New(portal *portal.Portal, web *web.Web, forms *forms.Pages, site *site.Site) *Pages {
	return &Pages{portal: portal, path: site.Path(), log: web.Platform.Log, web: web, forms: forms, site: site}
}
