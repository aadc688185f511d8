package native

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/request"
	"portico/portal/access"
)

// app is what wraps a page: on is the variant of its object, "ios" or "android", "" in browsers; run names an app
// that is played in dev.
type app struct{ On, version, Run string }

// appAgent is how the app names itself in its User-Agent.
var appAgent = regexp.MustCompile(`(?:^| )PorticoApp/(\d{1,5}(?:\.\d{1,5}){0,3}) \((iOS|Android)\)`)

// Native returns the app that sent a request, by its User-Agent; the zero app for a browser.
func (p *Pages) Native(r *http.Request) app {
	if agent := r.UserAgent(); strings.Contains(agent, "PorticoApp/") {
		if said := appAgent.FindStringSubmatch(agent); said != nil {
			return app{On: strings.ToLower(said[2]), version: said[1]}
		}
	}
	return p.Playing(r)
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

// InApp answers the app alone.
func (p *Pages) InApp(h request.Handler) request.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if p.Native(r).On == "" {
			return access.NotFound
		}
		return h(w, r)
	}
}

// NativeUser is who the app keeps as signed in: names and ids, and with them a code, never a token or a phone number.
type NativeUser struct {
	ID          int64  `json:"id_"`
	Login       string `json:"login_"`
	Name        string `json:"name_"`
	Type        int    `json:"type_"`
	CompanyID   int64  `json:"company_id_"`
	CompanyName string `json:"company_name_"`
}

// Wrap gives a page what the bridge of the app needs; in browsers it gives nothing.
func (p *Pages) Wrap(r *http.Request, status int, s *components.Shell) {
	wrapped := p.Native(r)
	if wrapped.On == "" || strings.HasPrefix(r.URL.Path, "/dev/") {
		return
	}
	if s.Native == nil {
		s.Native = &components.Native{First: request.IsLoginPath(r.URL.Path)}
	}
	if request.IsLoginPath(r.URL.Path) {
		s.Offline = true // its notice leads to the settings of the connection
	}
	n := s.Native
	n.On, n.APIs, n.Color = wrapped.On, p.apis(), components.ThemeColor(s.Theme)
	n.Old = isOlder(wrapped.version, p.appVersions[wrapped.On])
	n.Texts = map[string]string{"entering": locale.T(r.Context(), "native.entering")}
	if p.opensByToken(r) && status == http.StatusOK && !s.ClearMirror {
		n.Enter = "/native/enter"
	}
	if wrapped.Run != "" {
		n.Script = PlayScript
	}
	p.request.More(r, s)
}

// apis are the addresses under which the API is served, and which an app may name as its own.
func (p *Pages) apis() []string {
	list := []string{p.base.Scheme + "://api." + p.base.Host}
	if !p.production {
		list = append(list, p.base.Scheme+"://"+p.base.Host)
	}
	return list
}

// opensByToken reports whether this is a sign-in page and the browser has no session, so that the app may sign in with
// its token.
func (p *Pages) opensByToken(r *http.Request) bool {
	place := request.PlaceOf(r.Context())
	if r.Method != http.MethodGet || !request.IsLoginPath(r.URL.Path) && r.URL.Path != "/login/code" ||
		place.Site != access.SiteAccount && place.Site != access.SiteStore {
		return false
	}
	if place.OwnDomain { // the app's token is good for the whole platform
		return false
	}
	_, err := p.portal.Sessions.Session(r.Context(), place)
	return errors.Is(err, access.LoginRequired)
}
