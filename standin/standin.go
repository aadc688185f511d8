// Package standin stands for WeChat and WeCom on a developer's machine: their pages, on which somebody picks who they are, and
// their APIs, which answer and refuse as the documented ones do. It knows nothing of Portico's rules, keeps everything in
// memory, and never exists in production.
package standin

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Path is where everything of it is served.
const Path = "/dev/wechat/"

// Options is all it needs; every field may be left out.
type Options struct {
	Now  func() time.Time
	Log  *slog.Logger
	Home string        // scheme and host of the account site, whose ways in the first page links
	Hang time.Duration // how long "does not answer" lasts; 6 s

	// Own says whether people may be sent back to an origin, like "http://shop.test:8080". This machine's names always are.
	Own func(ctx context.Context, origin string) bool
}

const defaultHang = 6 * time.Second

// standin is everything it remembers, behind one lock.
type standin struct {
	Options
	mu      sync.Mutex
	codes   shelf[*grant]
	tokens  shelf[*access]
	newest  shelf[string]    // by application and kind: the token given again
	tickets shelf[*jsTicket] // by application and kind
	met     shelf[person]    // who was entered by name
	counts  shelf[*Counts]   // by application
}

// How many of each are kept; the oldest go first.
const (
	maxCodes  = 10_000
	maxTokens = 10_000
	maxApps   = 1_000
	maxMet    = 12
)

// New returns everything below Path.
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
		Options: o, codes: newShelf[*grant](maxCodes), tokens: newShelf[*access](maxTokens), newest: newShelf[string](3 * maxApps),
		tickets: newShelf[*jsTicket](3 * maxApps), met: newShelf[person](maxMet), counts: newShelf[*Counts](maxApps),
	}
	return s.routes()
}

func (s *standin) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range map[string]http.HandlerFunc{
		"GET " + Path + "{$}":                      s.showIndex,
		"GET " + Path + "be":                       s.become,
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

// shelf is a map that holds so many; the oldest make room.
type shelf[T any] struct {
	max   int
	items map[string]T
	order []string
}

func newShelf[T any](most int) shelf[T] { return shelf[T]{max: most, items: map[string]T{}} }

func (s *shelf[T]) put(key string, item T) {
	if _, known := s.items[key]; !known {
		if len(s.order) == s.max {
			delete(s.items, s.order[0])
			s.order = s.order[1:]
		}
		s.order = append(s.order, key)
	}
	s.items[key] = item
}
