package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// A person who opens a page without being signed in gets back to it after signing in. The path goes to the sign-in page
// as ?return=/path. A cookie keeps it during the sign-in, which may take several pages, and the sealed auth code takes
// it to the landing site.

const (
	ReturnCookie  = "portico_return" // the path to open after signing in
	returnSeconds = 60 * MinuteSeconds
	maxReturn     = 400 // bytes
)

// Bases holds the path of each side's first page. All other pages of the side are below it.
var Bases = map[store.Slot]string{
	store.MobileShop: "/shop", store.PCShop: "/home", store.MobileMgr: "/home", store.PCMgr: "/mgr",
}

// otherSlot maps each slot to the same side on the other kind of screen.
var otherSlot = map[store.Slot]store.Slot{
	store.MobileShop: store.PCShop, store.PCShop: store.MobileShop,
	store.MobileMgr: store.PCMgr, store.PCMgr: store.MobileMgr,
}

// localPath parses an address that is only a path of this site, with a query; false for any other address, so that a
// return path never redirects to another site.
func localPath(address string) (*url.URL, bool) {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxReturn || u.Host != "" || u.Scheme != "" || u.User != nil ||
		!strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.Contains(u.Path, "..") ||
		strings.ContainsAny(u.Path, "\\\r\n") || strings.ContainsAny(address, "\\\r\n") {
		return nil, false
	}
	return &url.URL{Path: u.Path, RawQuery: u.RawQuery}, true
}

// listParams are the parameters that choose which part of a list a page shows. All others, like tokens, belong to one
// visit.
var listParams = []string{
	"of", "side", "before", "after", "page", "from", "to", "days", "q", "state", "category", "person", "object", "sort",
	"limit", "cursor",
}

// DeepLink returns the page of a request, to open it again after signing in: a list with its filters, and for a file
// the page that offers it.
func DeepLink(r *http.Request) string {
	asked, query := r.URL.Query(), url.Values{}
	for _, name := range listParams {
		if asked.Has(name) {
			query.Set(name, asked.Get(name))
		}
	}
	u := url.URL{Path: pageOf(r.URL.Path), RawQuery: query.Encode()}
	if len(u.String()) > maxReturn {
		u.RawQuery = ""
	}
	return u.String()
}

// fileSuffixes are the endings of paths that answer with a file. The part before the ending is the path of the page
// that offers the file.
var fileSuffixes = []string{
	"/export.csv", "/export.xlsx", "/export", "/empty.xlsx", "/remarks.xlsx", "/wechat.json", ".csv", ".xlsx",
}

// pageOf returns the path of the page that offers a file, and any other path as it is.
func pageOf(path string) string {
	for _, suffix := range fileSuffixes {
		if page, isFile := strings.CutSuffix(path, suffix); isFile {
			return page
		}
	}
	return path
}

// AskedReturn returns the path in the "return" parameter of the sign-in page or its form; "" for none.
func AskedReturn(r *http.Request) string {
	address := r.PostForm.Get("return")
	if address == "" {
		address = r.URL.Query().Get("return")
	}
	u, ok := localPath(address)
	if !ok {
		return ""
	}
	return u.String()
}

// NoteReturn stores the path of AskedReturn in the cookie.
func (p *Web) NoteReturn(w http.ResponseWriter, r *http.Request) {
	if address := AskedReturn(r); address != "" {
		p.SetCookie(w, ReturnCookie, url.QueryEscape(address), returnSeconds)
	}
}

// WantedPath returns the path to open after signing in, "" for none. The sign-in form's own path goes before the
// cookie, because another tab may have set the cookie since.
func (p *Web) WantedPath(r *http.Request) string {
	if address := AskedReturn(r); address != "" && IsLoginPath(r.URL.Path) {
		return address
	}
	address, err := url.QueryUnescape(p.Cookie(r, ReturnCookie))
	if err != nil {
		return ""
	}
	if _, ok := localPath(address); !ok {
		return ""
	}
	return address
}

// WantedForm reads the kept form that the path to open after signing in names.
func (p *Web) WantedForm(r *http.Request) (core.KeptForm, bool) {
	u, ok := localPath(p.WantedPath(r))
	if !ok || !u.Query().Has(keptParam) {
		return core.KeptForm{}, false
	}
	form, err := p.core.Limits.KeptForm(r.Context(), u.Query().Get(keptParam))
	return form, err == nil
}

// Arrivals returns the address on the site of each side that has a page for a wanted path. otherScreen is that of
// ArriveAt.
func (p *Web) Arrivals(address string, otherScreen bool) map[store.Slot]string {
	if address == "" {
		return nil
	}
	arrivals := map[store.Slot]string{}
	for _, slot := range access.Slots {
		if arrival := p.ArriveAt(slot, address, otherScreen); arrival != "" {
			arrivals[slot] = arrival
		}
	}
	return arrivals
}

// ArriveAt returns the address on a side's site for a wanted path; "" when the side has no such page. With otherScreen
// it also translates a path of the same side on the other kind of screen.
func (p *Web) ArriveAt(slot store.Slot, address string, otherScreen bool) string {
	u, ok := localPath(address)
	if !ok {
		return ""
	}
	froms := []store.Slot{slot}
	if otherScreen {
		froms = append(froms, otherSlot[slot])
	}
	for _, from := range froms {
		rest, ok := strings.CutPrefix(u.Path, Bases[from])
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		target := &url.URL{Path: Bases[slot] + rest, RawQuery: u.RawQuery}
		query := target.Query()
		query.Del("auth_code_")
		query.Del("return")
		target.RawQuery = query.Encode()
		if p.Routes.OfSlot(slot).Match(chi.NewRouteContext(), http.MethodGet, target.Path) {
			return target.String()
		}
	}
	return ""
}
