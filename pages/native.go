package pages

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/landing"
	"portico/portal/limits"
)

// app is what wraps a page: on is the variant of its object, "ios" or "android", "" in browsers; run names an app
// that is played in dev.
type app struct{ on, version, run string }

// appAgent is how the app names itself in its User-Agent.
var appAgent = regexp.MustCompile(`(?:^| )PorticoApp/(\d{1,5}(?:\.\d{1,5}){0,3}) \((iOS|Android)\)`)

// native tells the app from browsers: only what says that it is one gets what is for it.
func (p *Pages) native(r *http.Request) app {
	if agent := r.UserAgent(); strings.Contains(agent, "PorticoApp/") {
		if said := appAgent.FindStringSubmatch(agent); said != nil {
			return app{on: strings.ToLower(said[2]), version: said[1]}
		}
	}
	return p.playing(r)
}

// isOlder says whether a version comes before another one: 2.9 comes before 2.10, and 2 is 2.0. A version that is not
// known, or not asked for, is not older.
func isOlder(version, least string) bool {
	if version == "" || least == "" {
		return false
	}
	is, wants := strings.Split(version, "."), strings.Split(least, ".")
	for i := range max(len(is), len(wants)) {
		if step := numberAt(is, i) - numberAt(wants, i); step != 0 {
			return step < 0
		}
	}
	return false
}

// numberAt reads one number of a version, 0 beyond its end.
func numberAt(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}

// inApp answers the app alone.
func (p *Pages) inApp(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if p.native(r).on == "" {
			return access.NotFound
		}
		return h(w, r)
	}
}

// nativeUser is who the app keeps as signed in: names and ids, and with them a code, never a token or a phone number.
type nativeUser struct {
	ID          int64  `json:"id_"`
	Login       string `json:"login_"`
	Name        string `json:"name_"`
	Type        int    `json:"type_"`
	CompanyID   int64  `json:"company_id_"`
	CompanyName string `json:"company_name_"`
}

// wrapping is what a page of a landing site tells the app beside what every page does; nil in browsers.
func (l landingPages) wrapping(r *http.Request, here access.Landing, token string) *components.Native {
	if l.native(r).on == "" {
		return nil
	}
	m := here.Member
	return &components.Native{
		Title: m.Company.Name, First: r.URL.Path == l.path, Code: "/native/code" + l.path, Token: token, SignIn: l.portal.Landing.SignInTag(here),
		User: nativeUser{m.ID, m.Login, m.Name, m.Type, m.CompanyID, m.Company.Name},
	}
}

// wrap gives a page what the bridge of the app needs; in browsers it gives nothing.
func (p *Pages) wrap(r *http.Request, status int, s *components.Shell) {
	wrapped := p.native(r)
	if wrapped.on == "" || strings.HasPrefix(r.URL.Path, "/dev/") {
		return
	}
	if s.Native == nil {
		s.Native = &components.Native{First: isLoginPath(r.URL.Path)}
	}
	if isLoginPath(r.URL.Path) {
		s.Offline = true // its notice leads to the settings of the connection
	}
	n := s.Native
	n.On, n.APIs, n.Color = wrapped.on, p.apis(), components.ThemeColor(s.Theme)
	n.Old = isOlder(wrapped.version, p.appVersions[wrapped.on])
	n.Texts = map[string]string{"entering": locale.T(r.Context(), "native.entering")}
	if p.opensByToken(r) && status == http.StatusOK && !s.ClearMirror {
		n.Enter = "/native/enter"
	}
	if wrapped.run != "" {
		n.Script = playScript
	}
	p.more(r, s)
}

// apis are the addresses under which the API is served, and which an app may name as its own.
func (p *Pages) apis() []string {
	list := []string{p.base.Scheme + "://api." + p.base.Host}
	if !p.production {
		list = append(list, p.base.Scheme+"://"+p.base.Host)
	}
	return list
}

// opensByToken says whether this is a sign-in page that nobody has signed in behind.
func (p *Pages) opensByToken(r *http.Request) bool {
	place := placeOf(r.Context())
	if r.Method != http.MethodGet || !isLoginPath(r.URL.Path) && r.URL.Path != "/login/code" || place.Site != access.SiteAccount && place.Site != access.SiteStore {
		return false
	}
	if place.OwnDomain { // the app's token is good for the whole platform
		return false
	}
	_, err := p.portal.Sessions.Session(r.Context(), place)
	return errors.Is(err, access.LoginRequired)
}

// submitAppToken signs in who brings the app's own token, and says where to go on. Nothing else proves that the
// request is ours: a browser that does not say where it comes from is refused.
func (p *Pages) submitAppToken(w http.ResponseWriter, r *http.Request) error {
	if noOrigin(r) {
		return errCrossOrigin
	}
	var in landing.AppLoginInput
	decode(r, &in)
	in.Browser = p.browserOf(r, false)
	result, err := p.portal.Landing.AppLogin(r.Context(), in)
	if err != nil {
		return refuseApp(w, r, err)
	}
	address := choicePath(result.Step.Kind)
	if result.Step.Kind == accounts.StepEnter {
		to, err := p.destination(r, result.Session, result.Step.AccountID)
		if err != nil {
			return refuseApp(w, r, err)
		}
		address = p.played.carry(p.native(r), to.URL)
	}
	p.setSession(w, r, result)
	if result.Step.Kind == accounts.StepEnter {
		p.dropCookie(w, returnCookie)
	}
	return writeJSON(w, http.StatusOK, map[string]string{"location": address})
}

// offerNotices makes a page offer the app's notifications, until the person has answered the offer once.
func (l landingPages) offerNotices(r *http.Request, s *components.Shell) {
	if s.Native != nil && l.cookie(r, noticesCookie) == "" {
		s.Native.Notices = "/native/notices" + l.path
	}
}

// submitNotices stores that the person has answered the offer of notifications.
func (l landingPages) submitNotices(w http.ResponseWriter, r *http.Request) error {
	if _, err := l.here(r); err != nil {
		return refuseApp(w, r, err)
	}
	l.setCookie(w, noticesCookie, "1", yearSeconds)
	return writeJSON(w, http.StatusOK, map[string]string{})
}

// submitAppCode gives the app that shows this side a code to redeem.
func (l landingPages) submitAppCode(w http.ResponseWriter, r *http.Request) error {
	here, err := l.here(r)
	if err == nil && errors.Is(limits.CheckLandingForm(l.formOwner(r), here), limits.ErrFormMisplaced) {
		err = access.LoginRequired // another account is signed in than the one that the page shows
	}
	if err != nil {
		return refuseApp(w, r, err)
	}
	code, err := l.portal.Landing.AppCode(r.Context(), placeOf(r.Context()), l.slot)
	if err != nil {
		return refuseApp(w, r, err)
	}
	return writeJSON(w, http.StatusOK, map[string]string{"auth_code_": code})
}

// refuseApp tells the bridge what was refused, in words where a person can do something; anything unforeseen goes the
// way of all pages.
func refuseApp(w http.ResponseWriter, r *http.Request, err error) error {
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case errors.Is(err, access.LoginRequired):
		return writeJSON(w, http.StatusUnauthorized,
			map[string]string{"message": locale.T(r.Context(), "native.ended")})
	case ok:
		return writeJSON(w, refusedStatus(w, refused), map[string]string{"message": refusalText(r, refused)})
	}
	return err
}
