package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// Visit holds the state of one request: its place and language, and the values that handlers read or set later.
type Visit struct {
	Place   access.Place
	Lang    locale.Lang
	Company *store.Company // the company of the page when the host has none, nil for none

	Answer      http.ResponseWriter // to set the session's cookie again
	session     *readSession        // nil until it is read
	Flow        string              // the browser's id for verification codes, if this request made it
	Owner       core.FormOwner      // the owner of a landing page's forms
	Sealed      string              // the hidden field of forms for SealedOwner
	SealedOwner core.FormOwner
	Restored    url.Values // the fields of a kept form that is shown again, nil for none
	Notice      string     // the notice for the next page, see KeepNotice
	IsRepeated  bool       // the answer is for the same path without its query, see RepeatRequest
	Lighting    bool       // the request asks for the lighting edition, see AsksLighting
}

// readSession is a session that was read, or the error.
type readSession struct {
	session access.Session
	err     error
}

// CompanyID returns the company of the page, 0 for none.
func (v *Visit) CompanyID() int64 {
	if c := v.ShownCompany(); c != nil {
		return c.ID
	}
	return 0
}

// ShownCompany returns the company of the page, nil for none.
func (v *Visit) ShownCompany() *store.Company {
	if v.Company != nil {
		return v.Company
	}
	return v.Place.Company
}

// visitKey is the key of the Visit in a context.
type visitKey struct{}

// WithVisit returns a context that carries the visit.
func WithVisit(ctx context.Context, v *Visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// VisitOf returns the visit of a request, nil outside a request.
func VisitOf(ctx context.Context) *Visit {
	v, _ := ctx.Value(visitKey{}).(*Visit)
	return v
}

// PlaceOf returns the place of a request: site, company and host.
func PlaceOf(ctx context.Context) access.Place {
	if v := VisitOf(ctx); v != nil {
		return v.Place
	}
	return access.Place{Site: access.SiteAccount}
}

// Locate finds the place of a request by its host. A request line with an absolute address replaces the Host header,
// so a proxy in front may have checked another host: such a request gets no company.
func (p *Requests) Locate(w http.ResponseWriter, r *http.Request) (access.Place, error) {
	in := access.LocateInput{Host: r.Host}
	if r.URL.Host != "" {
		in.Host = ""
	}
	if !p.production {
		in.CompanyID = p.localCompany(w, r)
	}
	return p.core.Access.Locate(r.Context(), in)
}

// localCompany returns the id in ?companyId=, and keeps it in a cookie, or else the id in the cookie. It is used in dev
// only, where one host serves every company.
func (p *Requests) localCompany(w http.ResponseWriter, r *http.Request) string {
	if r.URL.RawQuery != "" {
		if query := r.URL.Query(); query.Has("companyId") {
			id, ok := access.DecimalID(query.Get("companyId"))
			if !ok {
				p.DropCookie(w, companyCookie)
				return ""
			}
			p.SetCookie(w, companyCookie, strconv.FormatInt(id, 10), YearSeconds)
			return strconv.FormatInt(id, 10)
		}
	}
	return p.Cookie(r, companyCookie)
}

// ChooseLang returns the language in ?lang=, which it keeps in a cookie, else the one in the cookie, else the
// company's, else the browser's, else Chinese.
func (p *Requests) ChooseLang(w http.ResponseWriter, r *http.Request, place access.Place) locale.Lang {
	if r.URL.RawQuery != "" {
		if lang, ok := locale.Match(r.URL.Query().Get("lang")); ok {
			p.SetCookie(w, LangCookie, string(lang), YearSeconds)
			return lang
		}
	}
	if lang, ok := locale.Match(p.Cookie(r, LangCookie)); ok {
		return lang
	}
	if place.Company != nil {
		if lang, ok := locale.Match(place.Company.Language); ok {
			return lang
		}
	}
	lang, _ := locale.Accepted(r.Header.Get("Accept-Language"))
	return lang
}

// DeviceOf returns what a request says about the screen. width is the width that the page reported, in CSS pixels. When
// it is 0, the client hint counts, which browsers send from their second request on.
func DeviceOf(r *http.Request, width int) access.Device {
	agent := r.UserAgent()
	d := access.Device{
		Width:       core.ValidWidth(width),
		WorkChat:    strings.Contains(agent, "wxwork/"),
		MobileAgent: MobileAgent(agent) || r.Header.Get("Sec-Ch-Ua-Mobile") == "?1",
	}
	if d.Width == 0 {
		hint, err := strconv.ParseFloat(strings.Trim(r.Header.Get("Sec-Ch-Viewport-Width"), `"`), 64)
		if err == nil {
			d.Width = core.ValidWidth(int(hint))
		}
	}
	return d
}

// MobileAgent reports whether a User-Agent belongs to a phone. Tablets count as desktops unless their window is narrow,
// although iPads call themselves mobile.
func MobileAgent(agent string) bool {
	return strings.Contains(agent, "Mobile") && !strings.Contains(agent, "iPad") ||
		strings.Contains(agent, "iPhone") ||
		strings.Contains(agent, "HarmonyOS") && !strings.Contains(agent, "PC")
}

// KeepSharer keeps the ids of the user and the client who shared the link, from ?u= and ?c=, in a cookie. A value that
// is not a number removes the id.
func (p *Requests) KeepSharer(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery == "" {
		return
	}
	query := r.URL.Query()
	if !query.Has("u") && !query.Has("c") {
		return
	}
	user, client := sharedFrom(p.Cookie(r, ShareCookie))
	for name, kept := range map[string]*int64{"u": &user, "c": &client} {
		if query.Has(name) {
			*kept, _ = access.DecimalID(query.Get(name))
		}
	}
	if user == 0 && client == 0 {
		p.DropCookie(w, ShareCookie)
		return
	}
	p.SetCookie(w, ShareCookie, strconv.FormatInt(user, 10)+"."+strconv.FormatInt(client, 10), monthSeconds)
}

// sharedFrom reads the ids of the user and the client from the value of ShareCookie; 0 for an id that is missing.
func sharedFrom(cookie string) (user, client int64) {
	u, c, _ := strings.Cut(cookie, ".")
	user, _ = access.DecimalID(u)
	client, _ = access.DecimalID(c)
	return user, client
}
