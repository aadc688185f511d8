package web

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"portico/portal/access"
)

// In development the server simulates the native app, so that the bridge can be tried in any browser. ?native=ios or
// ?native=android on any page starts the simulation in this browser, ?native=off ends it. The calls of a page are
// answered here as it is set on /dev/native, which also lists them. Production has no simulated apps.

const (
	simulatorCookie     = "portico_native" // the app that this browser simulates
	SimulatorScriptPath = "/dev/native/wrapper.js"
	maxSimulated        = 64  // at a time; one more removes the oldest
	maxCalls            = 200 // that are stored for each app
	maxMessage          = 8 << 10
	simulatorOff        = "off"
	simulatorQuery      = "native"
)

//go:embed simulator.js
var SimulatorScript []byte

// The ways in which a simulated app answers.
const (
	mannerAnswers = "answers" // answers as docs/native-bridge.md says
	mannerRefuses = "refuses" // refuses every call
	mannerSilent  = "silent"  // never answers
	mannerNewer   = "newer"   // answers in a version of the protocol that pages do not know
	mannerLate    = "late"    // refuses the auth code as expired
)

// Manners are the ways in which a simulated app can answer: the value in the form and the locale key of its label.
var Manners = []struct{ Name, Label string }{
	{mannerAnswers, "play.manner_answers"}, {mannerRefuses, "play.manner_refuses"},
	{mannerSilent, "play.manner_silent"},
	{mannerNewer, "play.manner_newer"}, {mannerLate, "play.manner_late"},
}

// simulatedCall is one message of a page, and its answer; "" for none.
type simulatedCall struct {
	At     time.Time       `json:"at"`
	Page   string          `json:"page"` // host and path
	ID     string          `json:"id"`
	Call   string          `json:"call"`
	Args   json.RawMessage `json:"args,omitempty"`
	Answer string          `json:"answer"`
}

// Result returns the result of a call that succeeded, or the error of one that failed.
func (c simulatedCall) Result() string {
	var answer struct {
		OK     bool            `json:"ok"`
		Result json.RawMessage `json:"result"`
		Error  string          `json:"error"`
	}
	if json.Unmarshal([]byte(c.Answer), &answer) != nil || !answer.OK {
		return answer.Error
	}
	return string(answer.Result)
}

// SimulatedApp is the state of one simulated app.
type SimulatedApp struct {
	Token   string          `json:"token"`
	Address string          `json:"api_address"`
	State   string          `json:"state"`
	Version string          `json:"version"`
	MAC     string          `json:"mac"`
	Manner  string          `json:"manner"`
	Code    string          `json:"auth_code_"` // the last auth code that a page sent, until it is redeemed
	Calls   []simulatedCall `json:"calls"`
}

// SimulatedApps holds the simulated apps by the id of their browser's simulation. It is safe for concurrent use.
type SimulatedApps struct {
	mu    sync.Mutex
	all   map[string]*SimulatedApp
	order []string
}

// NewSimulatedApps returns a SimulatedApps that holds no apps.
func NewSimulatedApps() *SimulatedApps { return &SimulatedApps{all: map[string]*SimulatedApp{}} }

// Update calls do with the app of an id. It adds the app fresh when there is none.
func (a *SimulatedApps) Update(id string, fresh SimulatedApp, do func(*SimulatedApp)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	app := a.all[id]
	if app == nil {
		app = &fresh
		a.all[id], a.order = app, append(a.order, id)
		if len(a.order) > maxSimulated {
			delete(a.all, a.order[0])
			a.order = a.order[1:]
		}
	}
	do(app)
}

// Snapshot returns a copy of the app of an id; fresh when there is none.
func (a *SimulatedApps) Snapshot(id string, fresh SimulatedApp) (copied SimulatedApp) {
	a.Update(id, fresh, func(app *SimulatedApp) {
		copied = *app
		copied.Calls = slices.Clone(app.Calls)
	})
	return copied
}

// Answer records a message of a page and returns the answer as JSON, "" for none. It ignores malformed messages.
func (a *SimulatedApp) Answer(message, page string) string {
	var in struct {
		ID   string          `json:"id"`
		Call string          `json:"call"`
		Args json.RawMessage `json:"args"`
	}
	if len(message) > maxMessage || json.Unmarshal([]byte(message), &in) != nil {
		return ""
	}
	answer := ""
	if a.Manner != mannerSilent {
		reply := a.reply(in.Call, in.Args)
		reply["v"], reply["id"] = 1, in.ID
		if a.Manner == mannerNewer {
			reply["v"], reply["since"] = 2, "4.0"
		}
		text, _ := json.Marshal(reply) // texts and booleans always marshal
		answer = string(text)
	}
	a.Calls = append(a.Calls, simulatedCall{time.Now().UTC(), page, in.ID, in.Call, in.Args, answer})
	if len(a.Calls) > maxCalls {
		a.Calls = a.Calls[1:]
	}
	return answer
}

func (a *SimulatedApp) reply(call string, args json.RawMessage) map[string]any {
	failure := func(why string) map[string]any { return map[string]any{"ok": false, "error": why} }
	if a.Manner == mannerRefuses {
		return failure("refused")
	}
	var result any
	switch call {
	case "token":
		result = a.Token
	case "apiAddress":
		result = a.Address
	case "state":
		result = a.State
	case "version":
		result = a.Version
	case "mac":
		result = a.MAC
	case "saveUserInfo":
		if a.Manner == mannerLate {
			return failure("code_expired")
		}
		var user struct {
			Code string `json:"auth_code_"`
		}
		_ = json.Unmarshal(args, &user)
		a.Code = user.Code
	case "deleteUserInfo":
		a.Token, a.Code = "", ""
	case "openIPSettings", "call", "setAppBar", "action":
	default:
		return failure("unknown_call")
	}
	return map[string]any{"ok": true, "result": result}
}

var (
	simulatorCookieValue = regexp.MustCompile(`^(ios|android)\.([a-z0-9]{8,26})$`)
	simulatorQueryValue  = regexp.MustCompile(`^(?:(ios|android)(?:\.[a-z0-9]{8,26})?|off)$`)
)

// SimulatedIn returns the app that the browser simulates; the zero app for none and in production.
func (p *NativePages) SimulatedIn(r *http.Request) app {
	if p.Simulated == nil {
		return app{}
	}
	value := p.request.Cookie(r, simulatorCookie)
	if parts := simulatorCookieValue.FindStringSubmatch(value); parts != nil {
		version := p.Simulated.Snapshot(parts[2], p.NewSimulatedApp()).Version
		return app{System: parts[1], version: version, RunID: parts[2]}
	}
	if value == simulatorOff {
		return app{RunID: simulatorOff}
	}
	return app{}
}

// Simulate starts or ends the simulation of the app when the query says so, and then reports that it has answered the
// request. During a simulation the returned writer adds the app to redirects to other hosts, because cookies belong to
// one host.
func (p *NativePages) Simulate(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, bool) {
	if p.Simulated == nil {
		return w, false
	}
	if r.Method == http.MethodGet && strings.Contains(r.URL.RawQuery, simulatorQuery+"=") &&
		!strings.HasPrefix(r.URL.Path, "//") {
		query := r.URL.Query()
		if want := query.Get(simulatorQuery); simulatorQueryValue.MatchString(want) {
			if want != simulatorOff && !strings.Contains(want, ".") {
				run := p.SimulatedIn(r).RunID
				if run == "" || run == simulatorOff {
					run = strings.ToLower(access.RandomString())
				}
				want += "." + run
			}
			p.request.SetCookie(w, simulatorCookie, want, 0)
			query.Del(simulatorQuery)
			w.Header().Set("Referrer-Policy", "strict-origin") // the address may contain an auth code: see IsForeign
			_ = SeeOther(w, (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String())
			return w, true
		}
	}
	if app := p.SimulatedIn(r); app.RunID != "" {
		return &hostRedirects{w, p.Simulated, app, r.Host}, false
	}
	return w, false
}

// AddToAddress adds the simulated app to an absolute address. Without a simulated app the address stays as it is.
func (a *SimulatedApps) AddToAddress(app app, address string) string {
	u, err := url.Parse(address)
	if a == nil || app.RunID == "" || err != nil || u.Host == "" {
		return address
	}
	value := simulatorOff
	if app.System != "" {
		value = app.System + "." + app.RunID
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += simulatorQuery + "=" + value
	return u.String()
}

// hostRedirects adds the simulated app to redirects to other hosts.
type hostRedirects struct {
	http.ResponseWriter
	apps *SimulatedApps
	app  app
	host string
}

// WriteHeader writes the status. It adds the simulated app to the address of a redirect to another host.
func (c *hostRedirects) WriteHeader(status int) {
	location := c.Header().Get("Location")
	if u, err := url.Parse(location); status == http.StatusSeeOther && err == nil && u.Host != "" && u.Host != c.host {
		c.Header().Set("Location", c.apps.AddToAddress(c.app, location))
	}
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (c *hostRedirects) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// NewSimulatedApp returns the state of an app that was just installed.
func (p *NativePages) NewSimulatedApp() SimulatedApp {
	return SimulatedApp{Address: p.apis()[0], State: "online", Version: "3.2.1", MAC: "02:00:5E:10:00:01",
		Manner: mannerAnswers}
}
