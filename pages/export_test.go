package pages

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/portal/access"
	"portico/portal/statistics"
)

// OfficeRoutes are the methods and paths of the back office on phones, "GET /home/people".
func (p *Pages) OfficeRoutes() (routes []string) {
	_ = chi.Walk(
		p.mobileMgr.(chi.Routes),
		func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
			if strings.HasPrefix(route, "/home") && method != http.MethodHead {
				routes = append(routes, method+" "+route)
			}
			return nil
		},
	)
	return routes
}

// ShownRoute is a route that answers GET, with what it is counted as, "" for nothing.
type ShownRoute struct {
	Site   access.Site
	Path   string
	Screen statistics.Screen
}

// ShownRoutes are those of every site.
func (p *Pages) ShownRoutes() (routes []ShownRoute) {
	for site, handler := range map[access.Site]http.Handler{
		access.SiteAccount: p.account, access.SiteStore: p.desktop, access.SiteMobileShop: p.mobileShop,
		access.SiteMobileMgr: p.mobileMgr,
	} {
		_ = chi.Walk(
			handler.(chi.Routes),
			func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
				if method == http.MethodGet {
					routes = append(routes, ShownRoute{site, route, screenOf(site, route)})
				}
				return nil
			},
		)
	}
	return routes
}

// HeldSignInPages counts the sign-in pages in memory by company, and their bytes.
func (p *Pages) HeldSignInPages() (pages map[int64]int, bytes int) {
	p.cache.mu.Lock()
	defer p.cache.mu.Unlock()
	pages = map[int64]int{}
	for key := range p.cache.held {
		pages[key.company]++
	}
	return pages, p.cache.bytes
}

// LimitSignInPages sets how many bytes sign-in pages may take, and returns the limit before.
func (p *Pages) LimitSignInPages(most int) (before int) {
	p.cache.mu.Lock()
	defer p.cache.mu.Unlock()
	before, p.cache.most = p.cache.most, most
	return before
}

// CompressNext gives the page that waits longest its smallest form, and says whether there was one.
func (p *Pages) CompressNext() bool {
	select {
	case key := <-p.cache.toCompress:
		p.cache.compress(key)
		return true
	default:
		return false
	}
}
