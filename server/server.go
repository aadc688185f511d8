package main

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"portico/portal"
)

// The time and size limits of a connection.
const (
	headerTimeout  = 5 * time.Second
	bodyTimeout    = 30 * time.Second
	writeTimeout   = 30 * time.Second
	idleTimeout    = 60 * time.Second
	maxHeaderBytes = 32 << 10
	maxStreams     = 100 // requests at once on one HTTP/2 connection
	stopTimeout    = 20 * time.Second
	readyTimeout   = time.Second
	readyFor       = 200 * time.Millisecond // how long probes share the result of one check
)

// server is what stands around the doors: limits, headers, request ids, the log, stopping.
type server struct {
	config   config
	portal   *portal.Portal
	log      *slog.Logger
	requests *slog.Logger // the line of each request, written in batches
	http     *http.Server
	headers  http.Header
	metrics  *metrics
	stopping atomic.Bool

	readiness readiness

	ids requestIDs
}

func newServer(c config, p *portal.Portal, doors http.Handler, log, requests *slog.Logger, m *metrics) *server {
	s := &server{
		config: c, portal: p, log: log, requests: requests, metrics: m,
		headers: securityHeaders(), ids: newRequestIDs(),
	}
	s.http = &http.Server{
		Handler: s.outer(doors), ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	if len(c.trustedProxies) > 0 {
		allowHTTP2(s.http)
	}
	return s
}

// allowHTTP2 lets a proxy send its requests by HTTP/2 without TLS, and still by HTTP/1. The server's timeouts apply
// to each request of a connection.
func allowHTTP2(s *http.Server) {
	s.Protocols = new(http.Protocols)
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	s.HTTP2 = &http.HTTP2Config{
		MaxConcurrentStreams: maxStreams,
		WriteByteTimeout:     writeTimeout, // closes a connection that reads no bytes
		SendPingTimeout:      idleTimeout,  // pings a silent connection, and closes it without a reply
		PingTimeout:          headerTimeout,
	}
}

// run serves until the context ends, then stops gracefully: first not ready, then no new connections, then
// the running requests finish.
func (s *server) run(ctx context.Context, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	s.log.Info("stopping", slog.Int64("drain_ms", s.config.drain.Milliseconds()))
	time.Sleep(s.config.drain)
	stop, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := s.http.Shutdown(stop); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// securityHeaders stand on every answer, errors and redirects included. Pages set their own
// Content-Security-Policy over this one, and what may be kept its own Cache-Control.
func securityHeaders() http.Header {
	return http.Header{
		"X-Content-Type-Options":     {"nosniff"},
		"Referrer-Policy":            {"same-origin"},
		"Cross-Origin-Opener-Policy": {"same-origin"},
		"Content-Security-Policy":    {"default-src 'none'"},
		"Cache-Control":              {"no-store"},
	}
}

// platformHSTS keeps browsers on https for two years, on the platform's own hosts alone.
var platformHSTS = []string{"max-age=63072000; includeSubDomains"}

// outer is the outermost handler: it names the request, answers the probes, logs one line, and turns a
// panic into a plain 500.
func (s *server) outer(doors http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		address := callerAddress(r, s.config.trustedProxies)
		id := proxyRequestID(r, s.config.trustedProxies)
		if id == "" {
			id = s.ids.next()
		}
		h := w.Header()
		for name, value := range s.headers {
			h[name] = value
		}
		if s.config.production && s.portal.PlatformHost(r.Host) {
			h["Strict-Transport-Security"] = platformHSTS
		}
		h["X-Request-Id"] = []string{id}
		recorded := &recorder{ResponseWriter: w, door: "pages", route: noRoute}
		defer func() {
			if trouble := recover(); trouble != nil {
				if trouble == http.ErrAbortHandler {
					panic(trouble)
				}
				s.log.Error("panic", slog.String("request_id", id), slog.Any("trouble", trouble))
				if recorded.status == 0 {
					http.Error(recorded, "Something went wrong on our side. "+id, http.StatusInternalServerError)
				}
			}
			took := time.Since(start)
			s.metrics.request(recorded.door, recorded.route, recorded.status, took)
			s.logRequest(r, recorded, id, address, took)
		}()
		if r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
			recorded.door, recorded.route = "probe", r.URL.Path
			s.probe(recorded, r)
			return
		}
		caller := portal.Caller{RequestID: id, Address: address, Agent: r.UserAgent(), Unlimited: s.config.noLimit}
		ctx := context.WithValue(portal.WithCaller(r.Context(), caller), recorderKey{}, recorded)
		doors.ServeHTTP(recorded, r.WithContext(ctx))
	}
}

// logRequest writes the line of a request: the path without its query, which may hold a code.
func (s *server) logRequest(r *http.Request, w *recorder, id, address string, took time.Duration) {
	s.requests.LogAttrs(context.Background(), slog.LevelInfo, "request",
		slog.String("request_id", id), slog.String("method", r.Method),
		slog.String("host", shorten(r.Host, 80)), slog.String("path", shorten(r.URL.Path, 200)),
		slog.Int("status", w.status), slog.Int("bytes", w.bytes),
		slog.Float64("ms", float64(took.Microseconds())/1000), slog.String("address", address))
}

// probe answers /livez without the database and /readyz with it, within a second, in one word.
func (s *server) probe(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if r.URL.Path == "/readyz" {
		if s.stopping.Load() || !s.ready() {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte("not ready\n"))
			return
		}
	}
	_, _ = w.Write([]byte("ok\n"))
}

// readiness is one check of the database that the probes of a moment share: probes that anybody may send must not keep
// the database busy.
type readiness struct {
	mu sync.Mutex
	at time.Time
	ok bool
}

// ready says within readyTimeout whether the database would take a write. SQLite waits for another process's lock
// without looking at the context, so nobody waits for SQLite here.
func (s *server) ready() bool {
	s.readiness.mu.Lock()
	defer s.readiness.mu.Unlock()
	if time.Since(s.readiness.at) < readyFor {
		return s.readiness.ok
	}
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	answered := make(chan error, 1)
	go func() {
		defer cancel()
		answered <- s.portal.Ready(ctx)
	}()
	s.readiness.ok = false
	select {
	case err := <-answered:
		s.readiness.ok = err == nil
	case <-ctx.Done():
	}
	s.readiness.at = time.Now()
	return s.readiness.ok
}

// recorder notes the status and size of an answer, and which door and route gave it.
type recorder struct {
	http.ResponseWriter
	status, bytes int
	door, route   string
}

// noRoute is the route of a request that no pattern matched, so that its path does not get into the metrics.
const noRoute = "other"

type recorderKey struct{}

// noteDoor and noteRoute say which door and route answer a request. route is a pattern, never a path as it was sent.
func noteDoor(r *http.Request, door string) {
	if w, ok := r.Context().Value(recorderKey{}).(*recorder); ok {
		w.door = door
	}
}

func noteRoute(r *http.Request, route string) {
	if w, ok := r.Context().Value(recorderKey{}).(*recorder); ok && route != "" {
		w.route = route
	}
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

// Unwrap gives the writer below, for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// requestIDs are unique across instances and restarts: a random prefix and a count.
type requestIDs struct {
	prefix string
	count  *atomic.Uint64
}

func newRequestIDs() requestIDs {
	b := make([]byte, 5)
	_, _ = rand.Read(b) // never fails
	return requestIDs{prefix: strings.ToLower(base32.StdEncoding.EncodeToString(b)) + "-", count: new(atomic.Uint64)}
}

func (ids requestIDs) next() string { return ids.prefix + strconv.FormatUint(ids.count.Add(1), 36) }

func shorten(s string, bytes int) string {
	if len(s) > bytes {
		return s[:bytes]
	}
	return s
}
