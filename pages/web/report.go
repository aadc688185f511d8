package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/core"
)

// ReportView makes a page report its view to the company's statistics, if the company has any. A form that is shown
// again does not count as a view, nor does a page that opens another one by itself, a preview, or a page under /dev.
func (p *PageViews) ReportView(r *http.Request, status int, s *components.Shell) {
	v := VisitOf(r.Context())
	if v == nil || s.Refresh != "" || s.Inert || strings.HasPrefix(r.URL.Path, "/dev/") {
		return
	}
	company := v.ShownCompany()
	if company == nil || company.ViewCountURL == "" {
		return
	}
	name, path := "failed-"+strconv.Itoa(status), "/failed/"+strconv.Itoa(status)
	if !s.Failed {
		name, path = viewedPage(v.Place.Site, r)
		if name == "" || r.Method != http.MethodGet {
			return
		}
	}
	view := core.PageView{
		Page: name, Origin: p.viewedOrigin(v.Place), Path: path, Title: s.Title,
		Language: string(locale.Of(r.Context())), Referrer: p.ForeignReferrer(r),
	}
	s.SetReport(components.ViewReport(p.core.Statistics.ReportOf(*company, view)))
}

// viewedPage returns the name of the page that a request asks for, and its route with "id" in place of a number. Both
// are "" for a page that is not counted.
func viewedPage(site access.Site, r *http.Request) (name, path string) {
	route := r.URL.Path // a cached sign-in page has no route: the router is not called for it
	if routed := chi.RouteContext(r.Context()); routed != nil {
		route = routed.RoutePattern()
	}
	screen := ScreenOf(site, route)
	if screen == "" {
		return "", ""
	}
	return strings.ReplaceAll(string(screen), "_", "-"), strings.NewReplacer("{", "", "}", "").Replace(route)
}

// viewedOrigin returns the origin that a report names. A company's host is always named the same way, because all
// readers of a cached page send the same report.
func (p *PageViews) viewedOrigin(place access.Place) string {
	if place.Site == access.SiteStore && !place.OwnDomain && place.Company != nil {
		return p.core.Access.CompanyOrigin(place.Company.ID)
	}
	return place.Origin
}

// ForeignReferrer returns the origin of the site that linked to this page; "" for the platform's own sites and for
// none. The path is left out, because it may identify a person.
func (p *PageViews) ForeignReferrer(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Scheme != "https" && from.Scheme != "http" || p.core.Access.OnPlatform(r.Referer()) {
		return ""
	}
	host, ok := access.NormalHost(from.Host)
	if !ok || host == PlaceOf(r.Context()).Host {
		return ""
	}
	return from.Scheme + "://" + host
}
