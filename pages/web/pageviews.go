package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// screens are the names under which routes of the account site are counted.
var screens = map[string]core.Screen{
	"/": "login", "/login": "login", "/login/account": "login_account", "/login/code": "login_code",
	"/register": "register", "/register/init": "register_init", "/register/complete": "register_complete",
	"/register/wechat": "register_wechat",
	"/register/more":   "register_more", "/register/result": "register_result", "/experience": "experience",
	"/experience/role": "role",
	"/forget":          "forget_phone", "/forget/phone": "forget_phone", "/forget/{type}": "forget_phone",
	"/forget/account": "forget_account",
	"/password":       "password", "/bind": "bind", "/bind/{isBind}": "bind", "/unbind": "unbind", "/phone": "phone",
	"/company": "company", "/accounts": "accounts", ProfilePath: "profile", "/enter": "enter",
	SecurityPath: "security",
	OffersPath:   "offers",
	LinkPath:     "chat_link", LinkPath + "/account": "chat_link",
	LinkPath + "/code": "chat_link", ConfirmPath: "chat_confirm",
	"/agreement": "agreement", AcceptPath: "agreement_accept", "/jumperror": "jumperror",
}

// shopScreens and officeScreens are the names for routes of landing sites, without the path of the side's first page.
var (
	shopScreens = map[string]core.Screen{
		"": "shop", "/cart": "shop_cart", "/orders": "shop_orders", "/orders/{id}": "shop_order",
	}
	officeScreens = map[string]core.Screen{
		"": "office", "/orders": "orders", "/orders/{id}": "order", "/applications": "applications",
		"/applications/{id}": "application",
		"/customers":         "customers", "/customers/{id}": "customer",
		"/people": "people", "/people/new": "new_person",
		"/orders/filters": "filters", "/applications/filters": "filters", "/customers/filters": "filters",
		"/people/filters": "filters",
		"/orders/bulk":    "bulk", "/applications/bulk": "bulk", "/customers/bulk": "bulk", "/people/bulk": "bulk",
		"/customers/import": "import", "/people/import": "import", "/products/import": "import",
		"/people/{id}": "person", "/people/{id}/role": "person_role",
		"/products": "products", "/products/new": "new_product", "/products/{id}": "product",
		"/settings": "settings", "/settings/employees": "employees", "/settings/registration": "registration",
		"/settings/appearance": "appearance", "/settings/bank": "bank", "/settings/welcome": "welcome",
		"/settings/customer-types": "customer_types",
		"/settings/initialisation": "initialisation", "/settings/visits": "visits", "/audit": "audit",
	}
)

// ScreenOf returns the name under which a route of a site is counted, "" for files, JSON and pages for development.
func ScreenOf(site access.Site, route string) core.Screen {
	base, under, more := strings.Cut(strings.TrimPrefix(route, "/"), "/")
	if more {
		under = "/" + under
	}
	switch {
	case base == "mgr", base == "home" && site == access.SiteMobileMgr:
		return officeScreens[under]
	case base == "shop", base == "home":
		return shopScreens[under]
	}
	return screens[route]
}

// CountShown counts a view of a page that was rendered for this request.
func (p *PageViews) CountShown(r *http.Request, s components.Shell) {
	if !p.openedByPerson(r) || s.Refresh != "" { // the page redirects by itself
		return
	}
	v, route := VisitOf(r.Context()), chi.RouteContext(r.Context())
	if v == nil || route == nil {
		return
	}
	if screen := ScreenOf(v.Place.Site, route.RoutePattern()); screen != "" {
		p.core.Statistics.CountView(screen, v.CompanyID(), p.deviceKind(r))
	}
}

// CountCached counts a view of a sign-in page that came from the server's cache or the browser's.
func (p *PageViews) CountCached(r *http.Request, v *Visit) {
	if p.openedByPerson(r) {
		p.core.Statistics.CountView(screens[r.URL.Path], v.CompanyID(), p.deviceKindByAgent(r))
	}
}

// openedByPerson reports whether a person opened the page, and not a prefetch, a script or a program.
func (p *PageViews) openedByPerson(r *http.Request) bool {
	h := r.Header
	if r.Method != http.MethodGet || hasPrefix(h["Sec-Purpose"], "prefetch") || hasPrefix(h["Purpose"], "prefetch") ||
		hasPrefix(h["X-Moz"], "prefetch") {
		return false
	}
	if dest := h["Sec-Fetch-Dest"]; len(dest) > 0 && dest[0] != "document" {
		return false
	}
	return p.request.Agents.Of(r.UserAgent()).Person
}

// hasPrefix reports whether a header begins with a word, in any case.
func hasPrefix(header []string, word string) bool {
	return len(header) > 0 && strings.HasPrefix(strings.ToLower(header[0]), word)
}

// deviceKind returns the kind of device that shows a page. It knows the simulated app, too.
func (p *PageViews) deviceKind(r *http.Request) access.DeviceKind {
	if p.native.Native(r).System != "" {
		return core.OnApp
	}
	return p.deviceKindByAgent(r)
}

// deviceKindByAgent returns the kind of device by the request's headers.
func (p *PageViews) deviceKindByAgent(r *http.Request) access.DeviceKind {
	switch p.request.Agents.Of(r.UserAgent()).App {
	case signin.InWrapper:
		return core.OnApp
	case signin.InWorkChat:
		return core.OnWorkChat
	case signin.InWeChat, signin.InMiniProgram:
		return core.OnWeChat
	}
	if DeviceOf(r, 0).Mobile() {
		return core.OnPhone
	}
	return core.OnDesktop
}

// NoteCompany sets the company whose page a request shows, on a host without a company.
func NoteCompany(ctx context.Context, c store.Company) {
	if v := VisitOf(ctx); v != nil {
		v.Company = &c
	}
}

// SubmitSeen counts the view of a menu that the page's script reports by address. The answer is the same for an unknown
// address.
func (p *PageViews) SubmitSeen(w http.ResponseWriter, r *http.Request) error {
	place := PlaceOf(r.Context())
	screen := ScreenOf(place.Site, r.PostForm.Get("menu"))
	if p.request.Agents.Of(r.UserAgent()).Person {
		err := p.landing.CountMenu(r.Context(), place, screen, p.deviceKind(r))
		// A refusal gets the same answer, so that it reveals nothing.
		if refusal := access.Refusal(""); err != nil && !errors.As(err, &refusal) {
			return err
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
