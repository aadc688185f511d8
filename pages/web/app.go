package web

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
)

// app is the native app that shows a page. System is "ios" or "android", "" in browsers. RunID is the id of a simulated
// app, "" for a real one.
type app struct{ System, version, RunID string }

// appAgent is how the app names itself in its User-Agent.
var appAgent = regexp.MustCompile(`(?:^| )PorticoApp/(\d{1,5}(?:\.\d{1,5}){0,3}) \((iOS|Android)\)`)

// Native returns the app that sent a request, by its User-Agent; the zero app for a browser.
func (p *NativePages) Native(r *http.Request) app {
	if agent := r.UserAgent(); strings.Contains(agent, "PorticoApp/") {
		if match := appAgent.FindStringSubmatch(agent); match != nil {
			return app{System: strings.ToLower(match[2]), version: match[1]}
		}
	}
	return p.SimulatedIn(r)
}

// isOlder reports whether a version is older than least: 2.9 is older than 2.10, and 2 equals 2.0. It returns false
// when either is "".
func isOlder(version, least string) bool {
	if version == "" || least == "" {
		return false
	}
	have, want := strings.Split(version, "."), strings.Split(least, ".")
	for i := range max(len(have), len(want)) {
		if step := numberAt(have, i) - numberAt(want, i); step != 0 {
			return step < 0
		}
	}
	return false
}

// numberAt returns the number at an index of a version, 0 beyond its end.
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

// InApp returns a handler that answers only requests of the app, and refuses others with NotFound.
func (p *NativePages) InApp(h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if p.Native(r).System == "" {
			return access.NotFound
		}
		return h(w, r)
	}
}

// NativeUser is the account that a page passes to the app: names and ids, never a token or a phone number.
type NativeUser struct {
	ID          int64  `json:"id_"`
	Login       string `json:"login_"`
	Name        string `json:"name_"`
	Type        int    `json:"type_"`
	CompanyID   int64  `json:"company_id_"`
	CompanyName string `json:"company_name_"`
}

// Wrap adds the data of the app's bridge to a page. In browsers it does nothing.
func (p *NativePages) Wrap(r *http.Request, status int, s *components.Shell) {
	app := p.Native(r)
	if app.System == "" || strings.HasPrefix(r.URL.Path, "/dev/") {
		return
	}
	if s.Native == nil {
		s.Native = &components.Native{First: IsLoginPath(r.URL.Path)}
	}
	if IsLoginPath(r.URL.Path) {
		s.Offline = true // the notice about a lost connection has a button to the phone's settings
	}
	n := s.Native
	n.On = app.System
	n.APIs = p.apis()
	n.Color = components.ThemeColor(s.Theme)
	n.Old = isOlder(app.version, p.appVersions[app.System])
	n.Texts = map[string]string{"entering": locale.T(r.Context(), "native.entering")}
	if p.mayEnterByToken(r) && status == http.StatusOK && !s.ClearMirror {
		n.Enter = "/native/enter"
	}
	if app.RunID != "" {
		n.Script = SimulatorScriptPath
	}
	if s.Style.Part < components.PartFlows { // the other parts have the bridge's rules
		p.request.FlowsStyle(r, s)
	}
}

// apis returns the addresses of the API that an app may use.
func (p *NativePages) apis() []string {
	list := []string{p.base.Scheme + "://api." + p.base.Host}
	if !p.production {
		list = append(list, p.base.Scheme+"://"+p.base.Host)
	}
	return list
}

// mayEnterByToken reports whether this is a sign-in page and the browser has no session, so that the app may sign in
// with its token.
func (p *NativePages) mayEnterByToken(r *http.Request) bool {
	place := PlaceOf(r.Context())
	if r.Method != http.MethodGet || !IsLoginPath(r.URL.Path) && r.URL.Path != "/login/code" ||
		place.Site != access.SiteAccount && place.Site != access.SiteStore {
		return false
	}
	if place.OwnDomain { // the app's token is valid on the whole platform, so a company's own domain must not get it
		return false
	}
	_, err := p.core.Sessions.Session(r.Context(), place)
	return errors.Is(err, access.LoginRequired)
}
