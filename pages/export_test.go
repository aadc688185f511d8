package pages

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
)

// OfficeRoutes returns the methods and paths of the back office on phones, like "GET /home/people".
func (p *Pages) OfficeRoutes() (routes []string) {
	_ = chi.Walk(
		p.web.Routes.MobileMgr,
		func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
			if strings.HasPrefix(route, "/home") && method != http.MethodHead {
				routes = append(routes, method+" "+route)
			}
			return nil
		},
	)
	return routes
}

// ShownRoute is a route that answers GET. Screen is the name under which its views are counted, "" for none.
type ShownRoute struct {
	Site   access.Site
	Path   string
	Screen core.Screen
}

// ShownRoutes returns the routes of all sites that answer GET.
func (p *Pages) ShownRoutes() (routes []ShownRoute) {
	for site, table := range map[access.Site]chi.Routes{
		access.SiteAccount: p.web.Routes.Account, access.SiteStore: p.web.Routes.Desktop,
		access.SiteMobileShop: p.web.Routes.MobileShop, access.SiteMobileMgr: p.web.Routes.MobileMgr,
	} {
		_ = chi.Walk(
			table,
			func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
				if method == http.MethodGet {
					routes = append(routes, ShownRoute{site, route, web.ScreenOf(site, route)})
				}
				return nil
			},
		)
	}
	return routes
}

// CachedSignInPages returns how many sign-in pages are cached for each company, and their bytes.
func (p *Pages) CachedSignInPages() (pages map[int64]int, bytes int) { return p.web.Cache.Count() }

// LimitSignInPages sets how many bytes of sign-in pages are cached, and returns the previous limit.
func (p *Pages) LimitSignInPages(most int) (before int) { return p.web.Cache.Limit(most) }

// CompressNext fully compresses the page that waits longest. It reports false when no page waits.
func (p *Pages) CompressNext() bool { return p.web.Cache.CompressNext() }
