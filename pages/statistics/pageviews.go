package statistics

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/pages/request"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/statistics"
	"portico/store"
)

// screens are the routes of the account site whose pages are counted, by their fixed names.
var screens = map[string]statistics.Screen{
	"/": "login", "/login": "login", "/login/account": "login_account", "/login/code": "login_code",
	"/register": "register", "/register/init": "register_init", "/register/complete": "register_complete",
	"/register/wechat": "register_wechat",
	"/register/more":   "register_more", "/register/result": "register_result", "/experience": "experience",
	"/experience/role": "role",
	"/forget":          "forget_phone", "/forget/phone": "forget_phone", "/forget/{type}": "forget_phone",
	"/forget/account": "forget_account",
	"/password":       "password", "/bind": "bind", "/bind/{isBind}": "bind", "/unbind": "unbind", "/phone": "phone",
	"/company": "company", "/accounts": "accounts", request.ProfilePath: "profile", "/enter": "enter",
	request.OffersPath: "offers",
	request.LinkPath:   "chat_link", request.LinkPath + "/account": "chat_link",
	request.LinkPath + "/code": "chat_link", request.ConfirmPath: "chat_confirm",
	"/agreement": "agreement", request.AcceptPath: "agreement_accept", "/jumperror": "jumperror",
}

// shopScreens and officeScreens are those of the landing sites, by what follows a side's first page.
var (
	shopScreens   = map[string]statistics.Screen{"": "shop", "/orders": "shop_orders", "/orders/{id}": "shop_order"}
	officeScreens = map[string]statistics.Screen{
		"": "office", "/orders": "orders", "/orders/{id}": "order", "/applications": "applications",
		"/applications/{id}": "application",
		"/customers":         "customers", "/customers/{id}": "customer",
		"/people": "people", "/people/new": "new_person",
		"/people/{id}": "person", "/people/{id}/role": "person_role",
		"/settings": "settings", "/settings/employees": "employees", "/settings/registration": "registration",
		"/settings/appearance": "appearance", "/settings/bank": "bank",
		"/settings/customer-types": "customer_types",
		"/settings/initialisation": "initialisation", "/settings/visits": "visits", "/audit": "audit",
	}
)

// ScreenOf returns the name under which a route of a site is counted, "" for files, JSON and pages for development.
func ScreenOf(site access.Site, route string) statistics.Screen {
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

// CountShown counts a page that was made for one reader.
func (p *Pages) CountShown(r *http.Request, s components.Shell) {
	if !p.opened(r) || s.Refresh != "" { // the page redirects by itself
		return
	}
	v, route := request.VisitOf(r.Context()), chi.RouteContext(r.Context())
	if v == nil || route == nil {
		return
	}
	if screen := ScreenOf(v.Place.Site, route.RoutePattern()); screen != "" {
		p.portal.Statistics.CountView(screen, v.CompanyID(), p.deviceKind(r))
	}
}

// CountKept counts a login page that was served from memory, or that the reader had already.
func (p *Pages) CountKept(r *http.Request, v *request.Visit) {
	if p.opened(r) {
		p.portal.Statistics.CountView(screens[r.URL.Path], v.CompanyID(), p.browserKind(r))
	}
}

// opened says whether a person opened the page: not a browser that looks ahead, a script, or a program.
func (p *Pages) opened(r *http.Request) bool {
	h := r.Header
	if r.Method != http.MethodGet || said(h["Sec-Purpose"], "prefetch") || said(h["Purpose"], "prefetch") ||
		said(h["X-Moz"], "prefetch") {
		return false
	}
	if dest := h["Sec-Fetch-Dest"]; len(dest) > 0 && dest[0] != "document" {
		return false
	}
	return p.request.Agents.Of(r.UserAgent()).Person
}

func said(header []string, word string) bool {
	return len(header) > 0 && strings.HasPrefix(strings.ToLower(header[0]), word)
}

// deviceKind is what a page is shown on, without the width that forms report.
func (p *Pages) deviceKind(r *http.Request) access.DeviceKind {
	if p.native.Native(r).On != "" {
		return statistics.OnApp
	}
	return p.browserKind(r)
}

// browserKind is that of a page which no app wraps by its own word.
func (p *Pages) browserKind(r *http.Request) access.DeviceKind {
	agent := p.request.Agents.Of(r.UserAgent())
	switch agent.App {
	case chatapps.InWrapper:
		return statistics.OnApp
	case chatapps.InWorkChat:
		return statistics.OnWorkChat
	case chatapps.InWeChat, chatapps.InMiniProgram:
		return statistics.OnWeChat
	}
	if hint := request.HintOf(r); hint != nil && *hint || hint == nil && agent.Mobile {
		return statistics.OnPhone
	}
	return statistics.OnDesktop
}

// NoteCompany says whose page is shown where the host has no company of its own.
func NoteCompany(ctx context.Context, c store.Company) {
	if v := request.VisitOf(ctx); v != nil {
		v.Company = &c
	}
}

// SubmitSeen counts a choice in a menu that the page's script reports: by its address. What is unknown is answered
// alike.
func (p *Pages) SubmitSeen(w http.ResponseWriter, r *http.Request) error {
	place := request.PlaceOf(r.Context())
	screen := ScreenOf(place.Site, r.PostForm.Get("menu"))
	if p.request.Agents.Of(r.UserAgent()).Person {
		err := p.portal.Landing.CountMenu(r.Context(), place, screen, p.deviceKind(r))
		// who is signed in to nothing is told nothing
		if refusal := access.Refusal(""); err != nil && !errors.As(err, &refusal) {
			return err
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
