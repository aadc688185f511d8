package native

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

	"portico/pages/request"
	"portico/portal/access"
)

// In dev the server plays the native app, so that the bridge can be tried in any browser: ?native=ios or
// ?native=android on any page makes this browser one that the app wraps, ?native=off makes it a browser again. What
// the page calls is answered here as /dev/native says, and kept for it to show. In production there is none of this.

const (
	playCookie  = "portico_native" // the app that is played in this browser
	PlayScript  = "/dev/native/wrapper.js"
	maxPlayed   = 64  // apps at once; the oldest goes
	maxCalls    = 200 // kept of each
	maxMessage  = 8 << 10
	playOff     = "off"
	playedQuery = "native"
)

//go:embed simulator.js
var PlayObject []byte

// The manners of a played app.
const (
	mannerAnswers = "answers" // as documented
	mannerRefuses = "refuses" // every call
	mannerSilent  = "silent"  // never answers
	mannerNewer   = "newer"   // answers in a version of the protocol that is not known yet
	mannerLate    = "late"    // takes no code: it came too late
)

// Manners are the ways in which the played app can answer: the value of the form and the locale key of its label.
var Manners = []struct{ Name, Label string }{
	{mannerAnswers, "play.manner_answers"}, {mannerRefuses, "play.manner_refuses"},
	{mannerSilent, "play.manner_silent"},
	{mannerNewer, "play.manner_newer"}, {mannerLate, "play.manner_late"},
}

// playedCall is one message of a page and what it was answered, "" for nothing.
type playedCall struct {
	At     time.Time       `json:"at"`
	Page   string          `json:"page"` // host and path
	ID     string          `json:"id"`
	Call   string          `json:"call"`
	Args   json.RawMessage `json:"args,omitempty"`
	Answer string          `json:"answer"`
}

// Result is what came of the call: the result of a good answer, the error of another.
func (c playedCall) Result() string {
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

// PlayedApp is what one played app has and does.
type PlayedApp struct {
	Token   string       `json:"token"`
	Address string       `json:"api_address"`
	State   string       `json:"state"`
	Version string       `json:"version"`
	MAC     string       `json:"mac"`
	Manner  string       `json:"manner"`
	Code    string       `json:"auth_code_"` // the last one it was given, until it is redeemed
	Calls   []playedCall `json:"calls"`
}

// PlayedApps holds the apps that are being played, by the run of the browser. It is safe for concurrent use.
type PlayedApps struct {
	mu    sync.Mutex
	all   map[string]*PlayedApp
	order []string
}

// NewPlayedApps returns a PlayedApps without apps.
func NewPlayedApps() *PlayedApps { return &PlayedApps{all: map[string]*PlayedApp{}} }

// With does something with an app, made when it is not there yet.
func (a *PlayedApps) With(run string, fresh PlayedApp, do func(*PlayedApp)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := a.all[run]
	if one == nil {
		one = &fresh
		a.all[run], a.order = one, append(a.order, run)
		if len(a.order) > maxPlayed {
			delete(a.all, a.order[0])
			a.order = a.order[1:]
		}
	}
	do(one)
}

// Snapshot is an app as it is now.
func (a *PlayedApps) Snapshot(run string, fresh PlayedApp) (copied PlayedApp) {
	a.With(run, fresh, func(one *PlayedApp) {
		copied = *one
		copied.Calls = slices.Clone(one.Calls)
	})
	return copied
}

// Hear keeps a message and gives the answer, "" for silence.
func (one *PlayedApp) Hear(message, page string) string {
	var in struct {
		ID   string          `json:"id"`
		Call string          `json:"call"`
		Args json.RawMessage `json:"args"`
	}
	if len(message) > maxMessage || json.Unmarshal([]byte(message), &in) != nil {
		return ""
	}
	answer := ""
	if one.Manner != mannerSilent {
		reply := one.reply(in.Call, in.Args)
		reply["v"], reply["id"] = 1, in.ID
		if one.Manner == mannerNewer {
			reply["v"], reply["since"] = 2, "4.0"
		}
		text, _ := json.Marshal(reply) // texts and booleans always marshal
		answer = string(text)
	}
	one.Calls = append(one.Calls, playedCall{time.Now().UTC(), page, in.ID, in.Call, in.Args, answer})
	if len(one.Calls) > maxCalls {
		one.Calls = one.Calls[1:]
	}
	return answer
}

func (one *PlayedApp) reply(call string, args json.RawMessage) map[string]any {
	no := func(why string) map[string]any { return map[string]any{"ok": false, "error": why} }
	if one.Manner == mannerRefuses {
		return no("refused")
	}
	var result any
	switch call {
	case "token":
		result = one.Token
	case "apiAddress":
		result = one.Address
	case "state":
		result = one.State
	case "version":
		result = one.Version
	case "mac":
		result = one.MAC
	case "saveUserInfo":
		if one.Manner == mannerLate {
			return no("code_expired")
		}
		var user struct {
			Code string `json:"auth_code_"`
		}
		_ = json.Unmarshal(args, &user)
		one.Code = user.Code
	case "deleteUserInfo":
		one.Token, one.Code = "", ""
	case "openIPSettings", "call", "setAppBar", "action":
	default:
		return no("unknown_call")
	}
	return map[string]any{"ok": true, "result": result}
}

var (
	playedValue  = regexp.MustCompile(`^(ios|android)\.([a-z0-9]{8,26})$`)
	playedWanted = regexp.MustCompile(`^(?:(ios|android)(?:\.[a-z0-9]{8,26})?|off)$`)
)

// Playing is the app that is played in this browser; none in production.
func (p *Pages) Playing(r *http.Request) app {
	if p.Played == nil {
		return app{}
	}
	value := p.request.Cookie(r, playCookie)
	if parts := playedValue.FindStringSubmatch(value); parts != nil {
		version := p.Played.Snapshot(parts[2], p.FreshApp()).Version
		return app{On: parts[1], version: version, Run: parts[2]}
	}
	if value == playOff {
		return app{Run: playOff}
	}
	return app{}
}

// Play begins and ends to play the app in a browser, and says whether it answered. Where it is played, redirects to
// other hosts of the platform carry it in the address, because a cookie stays on its host.
func (p *Pages) Play(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, bool) {
	if p.Played == nil {
		return w, false
	}
	if r.Method == http.MethodGet && strings.Contains(r.URL.RawQuery, playedQuery+"=") &&
		!strings.HasPrefix(r.URL.Path, "//") {
		query := r.URL.Query()
		if want := query.Get(playedQuery); playedWanted.MatchString(want) {
			if want != playOff && !strings.Contains(want, ".") {
				run := p.Playing(r).Run
				if run == "" || run == playOff {
					run = strings.ToLower(access.RandomString())
				}
				want += "." + run
			}
			p.request.SetCookie(w, playCookie, want, 0)
			query.Del(playedQuery)
			w.Header().Set("Referrer-Policy", "strict-origin") // the address may hold a code: see IsForeign
			_ = request.SeeOther(w, (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String())
			return w, true
		}
	}
	if is := p.Playing(r); is.Run != "" {
		return &carrier{w, p.Played, is, r.Host}, false
	}
	return w, false
}

// Carry adds the app that is played to an address; in production, and where none is, it changes nothing.
func (a *PlayedApps) Carry(is app, address string) string {
	u, err := url.Parse(address)
	if a == nil || is.Run == "" || err != nil || u.Host == "" {
		return address
	}
	value := playOff
	if is.On != "" {
		value = is.On + "." + is.Run
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += playedQuery + "=" + value
	return u.String()
}

// carrier takes the app along in redirects to other hosts.
type carrier struct {
	http.ResponseWriter
	played *PlayedApps
	is     app
	host   string
}

// WriteHeader adds the played app to a redirect to another host, whose cookies are separate.
func (c *carrier) WriteHeader(status int) {
	location := c.Header().Get("Location")
	if u, err := url.Parse(location); status == http.StatusSeeOther && err == nil && u.Host != "" && u.Host != c.host {
		c.Header().Set("Location", c.played.Carry(c.is, location))
	}
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap gives the writer below, for http.ResponseController.
func (c *carrier) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// FreshApp is an app that was just installed.
func (p *Pages) FreshApp() PlayedApp {
	return PlayedApp{Address: p.apis()[0], State: "online", Version: "3.2.1", MAC: "02:00:5E:10:00:01",
		Manner: mannerAnswers}
}
