package pages

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/portal/access"
	"portico/portal/limits"
	"portico/store"
)

// A person who opens a page without being signed in gets back to it after signing in. The path goes to the sign-in page
// as ?return=/path. A cookie keeps it during the sign-in, which may take several pages, and the sealed auth code takes
// it to the landing site.

const (
	returnCookie  = "portico_return" // the path to open after signing in
	returnSeconds = 60 * minuteSeconds
	maxReturn     = 400 // bytes
)

// bases holds the path of each side's first page. All other pages of the side are below it.
var bases = map[store.Slot]string{
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

// listParams are the parameters that say what of a list a page shows. All others, like tokens, belong to one visit.
var listParams = []string{
	"of", "side", "before", "after", "page", "from", "to", "days", "q", "state", "sort", "limit", "cursor",
}

// deepLink returns the page of a request, to open it again after signing in: a list with its filters, and for an export
// (.csv) the list that it was made from.
func deepLink(r *http.Request) string {
	asked, query := r.URL.Query(), url.Values{}
	for _, name := range listParams {
		if asked.Has(name) {
			query.Set(name, asked.Get(name))
		}
	}
	u := url.URL{Path: strings.TrimSuffix(r.URL.Path, ".csv"), RawQuery: query.Encode()}
	if len(u.String()) > maxReturn {
		u.RawQuery = ""
	}
	return u.String()
}

// askedReturn returns the path in the "return" parameter of the sign-in page or its form; "" for none.
func askedReturn(r *http.Request) string {
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

// noteReturn stores the path of askedReturn in the cookie.
func (p *Pages) noteReturn(w http.ResponseWriter, r *http.Request) {
	if address := askedReturn(r); address != "" {
		p.setCookie(w, returnCookie, url.QueryEscape(address), returnSeconds)
	}
}

// wanted returns the path to open after signing in, "" for none. The sign-in form's own path goes before the cookie,
// because another tab may have set the cookie since.
func (p *Pages) wanted(r *http.Request) string {
	if address := askedReturn(r); address != "" && isLoginPath(r.URL.Path) {
		return address
	}
	address, err := url.QueryUnescape(p.cookie(r, returnCookie))
	if err != nil {
		return ""
	}
	if _, ok := localPath(address); !ok {
		return ""
	}
	return address
}

// wantedForm reads the kept form that the path to open after signing in names.
func (p *Pages) wantedForm(r *http.Request) (limits.KeptForm, bool) {
	u, ok := localPath(p.wanted(r))
	if !ok || !u.Query().Has(keptParam) {
		return limits.KeptForm{}, false
	}
	form, err := p.portal.Limits.KeptForm(r.Context(), u.Query().Get(keptParam))
	return form, err == nil
}

// arriveAt returns the address on a side's site for a wanted path; "" when the side has no such page. With otherScreen
// it also translates a path of the same side on the other kind of screen.
func (p *Pages) arriveAt(slot store.Slot, address string, otherScreen bool) string {
	u, ok := localPath(address)
	if !ok {
		return ""
	}
	froms := []store.Slot{slot}
	if otherScreen {
		froms = append(froms, otherSlot[slot])
	}
	for _, from := range froms {
		rest, ok := strings.CutPrefix(u.Path, bases[from])
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		there := &url.URL{Path: bases[slot] + rest, RawQuery: u.RawQuery}
		query := there.Query()
		query.Del("auth_code_")
		query.Del("return")
		there.RawQuery = query.Encode()
		if p.landingSite(slot).Match(chi.NewRouteContext(), http.MethodGet, there.Path) {
			return there.String()
		}
	}
	return ""
}

// landingSite returns the route table of a side's site.
func (p *Pages) landingSite(slot store.Slot) chi.Routes {
	site := p.desktop
	switch slot {
	case store.MobileShop:
		site = p.mobileShop
	case store.MobileMgr:
		site = p.mobileMgr
	}
	return site.(chi.Routes)
}

// routes returns the route table of the site that a place names.
func (p *Pages) routes(place access.Place) chi.Routes { return p.site(place).(chi.Routes) }
