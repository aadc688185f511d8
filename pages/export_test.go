package pages

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/portal"
)

// OfficeRoutes are the methods and paths of the back office on phones, "GET /home/people".
func (p *Pages) OfficeRoutes() (routes []string) {
	_ = chi.Walk(p.mobileMgr.(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if strings.HasPrefix(route, "/home") && method != http.MethodHead {
			routes = append(routes, method+" "+route)
		}
		return nil
	})
	return routes
}

// ShownRoute is a route that answers GET, with what it is counted as, "" for nothing.
type ShownRoute struct {
	Site   portal.Site
	Path   string
	Screen portal.Screen
}

// ShownRoutes are those of every site.
func (p *Pages) ShownRoutes() (routes []ShownRoute) {
	for site, handler := range map[portal.Site]http.Handler{portal.SiteAccount: p.account, portal.SiteStore: p.desktop, portal.SiteMobileShop: p.mobileShop, portal.SiteMobileMgr: p.mobileMgr} {
		_ = chi.Walk(handler.(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
			if method == http.MethodGet {
				routes = append(routes, ShownRoute{site, route, screenOf(site, route)})
			}
			return nil
		})
	}
	return routes
}
