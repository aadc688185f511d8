package pages

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
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
