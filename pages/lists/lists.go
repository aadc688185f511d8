// Package lists has the lists of the back office: orders, customers, applications, people, products and the activity
// log.
package lists

import (
	"log/slog"

	"github.com/go-chi/chi/v5"

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

// Routes mounts the pages of the lists and of the activity log.
func (l *Pages) Routes(r chi.Router) {
	l.orders().mount(r, l)
	l.customers().mount(r, l)
	l.applications().mount(r, l)
	l.people().mount(r, l)
	l.products().mount(r, l)
	r.Post(l.path+"/applications", l.web.Serve(l.web.RequireSameOrigin(l.site.Page(l.submitApplications))))
	l.web.Form(r, l.path+"/audit", l.site.Page(l.showAudit), nil)
	for _, file := range []string{"/audit/export.csv", "/audit/export.xlsx", "/audit.csv", "/audit.xlsx"} {
		l.web.Form(r, l.path+file, l.site.Page(l.showAuditExport), nil)
	}
}
