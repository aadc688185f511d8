package pages

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"portico/locale"
	"portico/portal"
)

// visit is what a request's host and language cookie decided.
type visit struct {
	place   portal.Place
	lang    locale.Lang
	company int64 // whose page is shown where the host has no company, 0 for none

	answer      http.ResponseWriter // takes the session's cookie when it has to be set again
	session     *readSession        // nil until it is read
	flow        string              // the browser's id for verification codes, if this request made it
	owner       portal.FormOwner    // of a landing page's forms
	sealed      string              // the hidden field of forms for sealedOwner
	sealedOwner portal.FormOwner
	restored    url.Values // of a kept form that is shown again, nil for none
}

// readSession is a session, or why there is none.
type readSession struct {
	session portal.Session
	err     error
}

// companyID is the company whose page is shown, 0 for none.
func (v *visit) companyID() int64 {
	if v.company != 0 {
		return v.company
	}
	return v.place.CompanyID()
}

type visitKey struct{}

func withVisit(ctx context.Context, v *visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// placeOf is where the request arrived: site, company, host.
func placeOf(ctx context.Context) portal.Place {
	if v := visitOf(ctx); v != nil {
		return v.place
	}
	return portal.Place{Site: portal.SiteAccount}
}

// locate reads the host. An absolute request line names its own host, which may differ from the Host
// header unseen by the time we look: it gets no company (requirement 2).
func (p *Pages) locate(w http.ResponseWriter, r *http.Request) (portal.Place, error) {
	in := portal.LocateInput{Host: r.Host}
	if r.URL.Host != "" {
		in.Host = ""
	}
	if !p.production {
		in.CompanyID = p.localCompany(w, r)
	}
	return p.portal.Locate(r.Context(), in)
}

// localCompany is ?companyId=, else the one chosen before on this machine; dev only (contract section 2).
func (p *Pages) localCompany(w http.ResponseWriter, r *http.Request) string {
	if r.URL.RawQuery != "" {
		if query := r.URL.Query(); query.Has("companyId") {
			id, ok := portal.DecimalID(query.Get("companyId"))
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

// chooseLang is ?lang=, else the cookie, else the company's, else Chinese (contract section 3). An asked
// for language is kept.
func (p *Pages) chooseLang(w http.ResponseWriter, r *http.Request, place portal.Place) locale.Lang {
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

// switchedLang reads the language switch of a form: the page comes back in that language with all that was
// typed. A kept form comes back in the same way, in the language that there is.
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

// deviceOf is what a request tells of the screen: width is the page's own report, 0 for none.
func deviceOf(r *http.Request, width int) portal.Device {
	agent := r.UserAgent()
	d := portal.Device{
		Width:       portal.BelievedWidth(width),
		WorkChat:    strings.Contains(agent, "wxwork/"),
		MobileAgent: mobileAgent(agent),
	}
	d.Hint = hintOf(r)
	return d
}

// hintOf says whether a request's client hints are a phone's; nil where they do not say.
func hintOf(r *http.Request) (mobile *bool) {
	if width := r.Header.Get("Sec-Ch-Viewport-Width"); width != "" {
		if hint, err := strconv.ParseFloat(strings.Trim(width, `"`), 64); err == nil && portal.BelievedWidth(int(hint)) > 0 {
			mobile := int(hint) < portal.MobileWidth
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

// shared reads the sharing user and client of a visit (specification section 2: u and c): asked for now, or
// kept from an earlier page; integers, otherwise removed.
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
			*kept, _ = portal.DecimalID(query.Get(name))
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
	user, _ = portal.DecimalID(u)
	client, _ = portal.DecimalID(c)
	return user, client
}
