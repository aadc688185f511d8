package pages

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/limits"
	"portico/portal/sessions"
	"portico/store"
)

// visit is what is known about a request: its place and language at first, and what handlers read or set later.
type visit struct {
	place   access.Place
	lang    locale.Lang
	company *store.Company // the company of the page when the host has none, nil for none

	answer      http.ResponseWriter // to set the session's cookie again
	session     *readSession        // nil until it is read
	flow        string              // the browser's id for verification codes, if this request made it
	owner       limits.FormOwner    // the owner of a landing page's forms
	sealed      string              // the hidden field of forms for sealedOwner
	sealedOwner limits.FormOwner
	restored    url.Values // the fields of a kept form that is shown again, nil for none
	notice      string     // what the page that the person goes on to says, see keepNotice
	lighting    bool       // the lighting edition is asked for, see asksLighting
}

// readSession is a session that was read, or the error.
type readSession struct {
	session access.Session
	err     error
}

// companyID returns the company of the page, 0 for none.
func (v *visit) companyID() int64 {
	if c := v.shownCompany(); c != nil {
		return c.ID
	}
	return 0
}

// shownCompany returns the company of the page, nil for none.
func (v *visit) shownCompany() *store.Company {
	if v.company != nil {
		return v.company
	}
	return v.place.Company
}

type visitKey struct{}

func withVisit(ctx context.Context, v *visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// placeOf returns the place of a request: site, company and host.
func placeOf(ctx context.Context) access.Place {
	if v := visitOf(ctx); v != nil {
		return v.place
	}
	return access.Place{Site: access.SiteAccount}
}

// locate finds the place of a request by its host. A request line with an absolute address replaces the Host header,
// so a proxy in front may have checked another host: such a request gets no company.
func (p *Pages) locate(w http.ResponseWriter, r *http.Request) (access.Place, error) {
	in := access.LocateInput{Host: r.Host}
	if r.URL.Host != "" {
		in.Host = ""
	}
	if !p.production {
		in.CompanyID = p.localCompany(w, r)
	}
	return p.portal.Access.Locate(r.Context(), in)
}

// localCompany returns the id in ?companyId=, and keeps it in a cookie, or else the id in the cookie. It is used in dev
// only, where one host serves every company.
func (p *Pages) localCompany(w http.ResponseWriter, r *http.Request) string {
	if r.URL.RawQuery != "" {
		if query := r.URL.Query(); query.Has("companyId") {
			id, ok := access.DecimalID(query.Get("companyId"))
			if !ok {
				p.dropCookie(w, companyCookie)
				return ""
			}
			p.setCookie(w, companyCookie, strconv.FormatInt(id, 10), yearSeconds)
			return strconv.FormatInt(id, 10)
		}
	}
	return p.cookie(r, companyCookie)
}

// chooseLang returns the language in ?lang=, which it keeps in a cookie, else the one in the cookie, else the
// company's, else Chinese.
func (p *Pages) chooseLang(w http.ResponseWriter, r *http.Request, place access.Place) locale.Lang {
	if r.URL.RawQuery != "" {
		if lang, ok := locale.Match(r.URL.Query().Get("lang")); ok {
			p.setCookie(w, langCookie, string(lang), yearSeconds)
			return lang
		}
	}
	if lang, ok := locale.Match(p.cookie(r, langCookie)); ok {
		return lang
	}
	if place.Company != nil {
		if lang, ok := locale.Match(place.Company.Language); ok {
			return lang
		}
	}
	return locale.Chinese
}

// switchedLang says whether the handler must only show the form again, with everything that was typed: the person
// pressed the form's language switch, or the form is a kept one. The returned request has the chosen language.
func (p *Pages) switchedLang(w http.ResponseWriter, r *http.Request) (*http.Request, bool) {
	if visitOf(r.Context()).restored != nil {
		return r, true
	}
	lang, ok := locale.Match(r.PostForm.Get("lang"))
	if !ok {
		return r, false
	}
	p.setCookie(w, langCookie, string(lang), yearSeconds)
	return r.WithContext(locale.With(r.Context(), lang)), true
}

// deviceOf returns what a request says about the screen. width is what the page reported, in CSS pixels, 0 for none.
func deviceOf(r *http.Request, width int) access.Device {
	agent := r.UserAgent()
	d := access.Device{
		Width:       sessions.ValidWidth(width),
		WorkChat:    strings.Contains(agent, "wxwork/"),
		MobileAgent: mobileAgent(agent),
	}
	d.Hint = hintOf(r)
	return d
}

// hintOf says whether the client hints of a request are a phone's; nil without such hints.
func hintOf(r *http.Request) (mobile *bool) {
	if width := r.Header.Get("Sec-Ch-Viewport-Width"); width != "" {
		if hint, err := strconv.ParseFloat(strings.Trim(width, `"`), 64); err == nil && sessions.ValidWidth(int(hint)) > 0 {
			mobile := int(hint) < access.MobileWidth
			return &mobile
		}
	}
	if hint := r.Header.Get("Sec-Ch-Ua-Mobile"); hint == "?1" || hint == "?0" {
		mobile := hint == "?1"
		return &mobile
	}
	return nil
}

// mobileAgent says whether a User-Agent is a phone's. Tablets count as desktops: they are wide enough.
func mobileAgent(agent string) bool {
	return strings.Contains(agent, "Mobile") || strings.Contains(agent, "iPhone") || strings.Contains(agent, "HarmonyOS") && !strings.Contains(agent, "PC")
}

// shared keeps the ids of the user and the client who shared the link, from ?u= and ?c=, in a cookie. A value that is
// not a number removes the id.
func (p *Pages) shared(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery == "" {
		return
	}
	query := r.URL.Query()
	if !query.Has("u") && !query.Has("c") {
		return
	}
	user, client := sharedFrom(p.cookie(r, shareCookie))
	for name, kept := range map[string]*int64{"u": &user, "c": &client} {
		if query.Has(name) {
			*kept, _ = access.DecimalID(query.Get(name))
		}
	}
	if user == 0 && client == 0 {
		p.dropCookie(w, shareCookie)
		return
	}
	p.setCookie(w, shareCookie, strconv.FormatInt(user, 10)+"."+strconv.FormatInt(client, 10), monthSeconds)
}

func sharedFrom(cookie string) (user, client int64) {
	u, c, _ := strings.Cut(cookie, ".")
	user, _ = access.DecimalID(u)
	client, _ = access.DecimalID(c)
	return user, client
}
