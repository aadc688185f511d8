package pages

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/portal"
	"portico/store"
)

// Where somebody wanted to go before they had to sign in travels as ?return=/path to the sign-in page, waits there in a cookie,
// whatever door and however many choices the sign-in takes, and goes along in the sealed code to the landing site.

const (
	returnCookie  = "portico_return" // the path that somebody wanted before signing in
	returnSeconds = 60 * minuteSeconds
	maxReturn     = 400 // bytes
)

// bases are the first pages of the four sides.
var bases = map[store.Slot]string{store.MobileShop: "/shop", store.PCShop: "/home", store.MobileMgr: "/home", store.PCMgr: "/mgr"}

// otherSlot is the same side on the other kind of screen.
var otherSlot = map[store.Slot]store.Slot{
	store.MobileShop: store.PCShop, store.PCShop: store.MobileShop, store.MobileMgr: store.PCMgr, store.PCMgr: store.MobileMgr,
}

// localPath keeps an address that is a path of our own, with its query, and nothing else.
func localPath(address string) (*url.URL, bool) {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxReturn || u.Host != "" || u.Scheme != "" || u.User != nil ||
		!strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.Contains(u.Path, "..") ||
		strings.ContainsAny(u.Path, "\\\r\n") || strings.ContainsAny(address, "\\\r\n") {
		return nil, false
	}
	return &url.URL{Path: u.Path, RawQuery: u.RawQuery}, true
}

// deepLink is the page of a request that needs to sign in first: a list's own part of it, and the page of an export.
func deepLink(r *http.Request) string {
	u := url.URL{Path: strings.TrimSuffix(r.URL.Path, ".csv"), RawQuery: listQuery(r.URL.Query())}
	return u.String()
}

// askedReturn is the path that the sign-in page, or its form, asks to arrive at; "" for none.
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

// noteReturn keeps the path that the sign-in page, or its form, is asked to lead to.
func (p *Pages) noteReturn(w http.ResponseWriter, r *http.Request) {
	if address := askedReturn(r); address != "" {
		p.setCookie(w, returnCookie, url.QueryEscape(address), returnSeconds)
	}
}

// wanted is the path that somebody wanted before signing in, "" for none. What the form itself says goes before the cookie, which
// another tab may have set since.
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

// wantedForm reads the kept form that somebody wanted to go back to.
func (p *Pages) wantedForm(r *http.Request) (portal.KeptForm, bool) {
	u, ok := localPath(p.wanted(r))
	if !ok || !u.Query().Has(keptParam) {
		return portal.KeptForm{}, false
	}
	form, err := p.portal.KeptForm(r.Context(), u.Query().Get(keptParam))
	return form, err == nil
}

// arriveAt is the address on a side's site that a wanted path stands for, "" for its first page. With otherScreen a path of the
// same side on the other kind of screen counts, too.
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

// landingSite is the route table of a side's site.
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

// routes is the route table of a place.
func (p *Pages) routes(place portal.Place) chi.Routes { return p.site(place).(chi.Routes) }
