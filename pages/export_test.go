package pages

import (
	"maps"
	"net/http"
	"slices"
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

// RouteList lists the routes of the account site, of the shop and of the back office, one in a line: "account GET POST
// /login". Paths of the shop and the back office are below their first pages.
func (p *Pages) RouteList() string {
	methods := map[string]string{}
	for _, site := range []struct {
		name, base string
		table      chi.Routes
	}{
		{"account", "", p.web.Routes.Account}, {"shop", "/shop", p.web.Routes.MobileShop},
		{"office", "/home", p.web.Routes.MobileMgr},
	} {
		_ = chi.Walk(
			site.table,
			func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
				path, isHere := strings.CutPrefix(route, site.base)
				isPage := isHere && strings.HasPrefix(path, "/") && !strings.HasSuffix(path, "*")
				if isPage && method != http.MethodHead {
					methods[site.name+" "+path] += method + " "
				}
				return nil
			},
		)
	}
	var list strings.Builder
	for _, route := range slices.Sorted(maps.Keys(methods)) {
		site, path, _ := strings.Cut(route, " ")
		all := strings.Fields(methods[route])
		slices.Sort(all)
		list.WriteString(site + " " + strings.Join(all, " ") + " " + path + "\n")
	}
	return list.String()
}

// CachedSignInPages returns how many sign-in pages are cached for each company, and their bytes.
func (p *Pages) CachedSignInPages() (pages map[int64]int, bytes int) { return p.web.Cache.Count() }

// LimitSignInPages sets how many bytes of sign-in pages are cached, and returns the previous limit.
func (p *Pages) LimitSignInPages(most int) (before int) { return p.web.Cache.Limit(most) }

// CompressNext fully compresses the page that waits longest. It reports false when no page waits.
func (p *Pages) CompressNext() bool { return p.web.Cache.CompressNext() }
