// Package standin imitates WeChat and WeCom on a developer's machine. It has their authorisation pages, on which a
// person chooses who they are, and their APIs, which answer and refuse as documented. It knows nothing of Portico's
// rules, keeps everything in memory, and does not exist in production.
package standin

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Path is the path below which the stand-in serves everything.
const Path = "/dev/wechat/"

// Options are the settings of a stand-in. Every field may be left out.
type Options struct {
	Now  func() time.Time
	Log  *slog.Logger
	Home string        // scheme and host of the account site, to which the index page links
	Hang time.Duration // how long the trouble "does not answer" lasts; 6 s when 0

	// IsOwnOrigin reports whether the stand-in may redirect to an origin, like "http://shop.test:8080". It may always
	// redirect to this machine's names.
	IsOwnOrigin func(ctx context.Context, origin string) bool
}

const defaultHang = 6 * time.Second

// standin is the state of the stand-in. mu guards all fields below it.
type standin struct {
	Options
	mu        sync.Mutex
	codes     boundedMap[*grant]
	tokens    boundedMap[*access]
	newest    boundedMap[string]    // by application and kind: the token that is answered again
	tickets   boundedMap[*jsTicket] // by application and kind
	newcomers boundedMap[person]    // people who were entered by name
	counts    boundedMap[*Counts]   // by application
}

// How many of each are kept. The oldest are removed first.
const (
	maxCodes  = 10_000
	maxTokens = 10_000
	maxApps   = 1_000
	maxMet    = 12
)

// New returns the handler of everything below Path.
func New(o Options) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Hang == 0 {
		o.Hang = defaultHang
	}
	s := &standin{
		Options: o, codes: newBoundedMap[*grant](maxCodes), tokens: newBoundedMap[*access](maxTokens),
		newest:  newBoundedMap[string](3 * maxApps),
		tickets: newBoundedMap[*jsTicket](3 * maxApps), newcomers: newBoundedMap[person](maxMet),
		counts: newBoundedMap[*Counts](maxApps),
	}
	return s.routes()
}

func (s *standin) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range map[string]http.HandlerFunc{
		"GET " + Path + "{$}":                      s.showIndex,
		"GET " + Path + "be":                       s.changePerson,
		"POST " + Path + "end-tokens":              s.endTokens,
		"GET " + Path + "standin.css":              showStyle,
		"GET " + Path + "exchanges.json":           s.showCounts,
		"GET " + Path + "code.json":                s.showCode,
		"GET " + Path + "connect/oauth2/authorize": s.authorizeInApp,
		"GET " + Path + "connect/qrconnect":        s.authorizePage(wechatQR),
		"GET " + Path + "wwlogin/sso/login":        s.authorizePage(wecomQR),

		"GET " + Path + "sns/oauth2/access_token":  s.exchangeWeChat,
		"GET " + Path + "sns/userinfo":             s.wechatProfile,
		"POST " + Path + "cgi-bin/stable_token":    s.stableToken,
		"GET " + Path + "cgi-bin/token":            s.plainToken,
		"GET " + Path + "cgi-bin/ticket/getticket": s.wechatTicket,
		"GET " + Path + "cgi-bin/gettoken":         s.corpToken,
		"GET " + Path + "cgi-bin/auth/getuserinfo": s.exchangeWeCom,
		"GET " + Path + "cgi-bin/get_jsapi_ticket": s.corpTicket,
		"GET " + Path + "cgi-bin/ticket/get":       s.agentTicket,
	} {
		mux.HandleFunc(pattern, serve)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// boundedMap is a map of at most max items. A new item replaces the oldest.
type boundedMap[T any] struct {
	max   int
	items map[string]T
	order []string
}

func newBoundedMap[T any](most int) boundedMap[T] {
	return boundedMap[T]{max: most, items: map[string]T{}}
}

func (s *boundedMap[T]) put(key string, item T) {
	if _, known := s.items[key]; !known {
		if len(s.order) == s.max {
			delete(s.items, s.order[0])
			s.order = s.order[1:]
		}
		s.order = append(s.order, key)
	}
	s.items[key] = item
}
