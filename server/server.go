// Package server is the HTTP shell around the pages and the API: addresses of callers, headers, request ids, the log,
// metrics, probes, and how the program stops.
package server

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/server/tracing"
)

// The time and size limits of a connection.
const (
	headerTimeout   = 5 * time.Second
	bodyTimeout     = 30 * time.Second
	writeTimeout    = 30 * time.Second
	idleTimeout     = 60 * time.Second
	maxHeaderBytes  = 32 << 10
	maxStreams      = 100 // requests at once on one HTTP/2 connection
	shutdownTimeout = 20 * time.Second
	readyTimeout    = time.Second
	readyCacheTime  = 200 * time.Millisecond // how long the result of a database check is reused
)

// Options are what a server needs.
type Options struct {
	Portal         *portal.Portal
	Handler        http.Handler // the pages and the API; gets every request except for probes
	Log            *slog.Logger
	RequestLog     *slog.Logger // gets one line per request
	Metrics        *Metrics
	Tracer         *tracing.Tracer // nil: nothing is recorded
	TrustedProxies []netip.Prefix  // proxies whose X-Forwarded-For, X-Request-Id and traceparent are used
	Production     bool            // sends Strict-Transport-Security on the platform's hosts
	NoLimit        bool            // no rate limits, for load tests
	DrainTime      time.Duration   // how long /readyz answers "not ready" before the server refuses new connections
}

// Server is the HTTP server of all sites. It applies the limits, sets the headers and the request id, logs each request
// and answers the probes.
type Server struct {
	Options

	http      *http.Server
	headers   http.Header
	stopping  atomic.Bool
	readiness readiness
	ids       requestIDs

	unknownCallers unknownCallers
}

// New returns a server that Run starts.
func New(o Options) *Server {
	s := &Server{Options: o, headers: securityHeaders(), ids: newRequestIDs()}
	s.http = &http.Server{
		Handler: s.handle(o.Handler), ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout,
		WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: connectionLog(o.Log),
	}
	if len(o.TrustedProxies) > 0 {
		allowHTTP2(s.http)
	}
	o.Metrics.watchReady(func() bool { return !s.stopping.Load() && s.ready() })
	return s
}

// ServeHTTP answers one request as the running server does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.http.Handler.ServeHTTP(w, r) }

// Run serves until the context ends, then stops gracefully: first /readyz says "not ready", then new connections are
// refused, then the running requests finish.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(trustedHTTP2{listener, s.TrustedProxies}) }()
	s.notifySystemd(SystemdReady)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	s.notifySystemd(SystemdStopping)
	s.Log.Info("stopping", slog.Int64("drain_ms", s.DrainTime.Milliseconds()))
	time.Sleep(s.DrainTime)
	stop, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if err := s.http.Shutdown(stop); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// notifySystemd logs when systemd cannot be told: the program serves all the same.
func (s *Server) notifySystemd(state string) {
	if err := NotifySystemd(state); err != nil {
		s.Log.Error("systemd was not told", slog.Any("error", err))
	}
}

// securityHeaders are sent with every answer, errors and redirects included. Pages replace the Content-Security-Policy,
// and answers that may be cached replace the Cache-Control.
func securityHeaders() http.Header {
	return http.Header{
		"X-Content-Type-Options":     {"nosniff"},
		"Referrer-Policy":            {"same-origin"},
		"Cross-Origin-Opener-Policy": {"same-origin"},
		"Permissions-Policy":         {permissionsPolicy},
		// Pictures that other sites may show replace it.
		"Cross-Origin-Resource-Policy": {"same-origin"},
		"Content-Security-Policy":      {"default-src 'none'"},
		"Cache-Control":                {"no-store"},
	}
}

// permissionsPolicy turns off what no page uses.
const permissionsPolicy = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"

// platformHSTS tells browsers to use only https for two years. It is sent on the platform's own hosts only, not on the
// domains of companies.
var platformHSTS = []string{"max-age=63072000; includeSubDomains"}

// handle returns the outermost handler. It gives each request an id, answers the probes, logs the request, and answers
// a panic with status 500.
func (s *Server) handle(sites http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		address := callerAddress(r, s.TrustedProxies)
		if address == "" {
			s.unknownCallers.warn(s.Log, peer(r), r.Header.Values("X-Forwarded-For"))
		}
		id := proxyRequestID(r, s.TrustedProxies)
		if id == "" {
			id = s.ids.next()
		}
		s.setHeaders(w.Header(), r, id)
		recorded := &responseRecorder{ResponseWriter: w, part: "pages", route: unmatchedRoute}
		traced := r.Context()
		var span tracing.Span
		defer func() {
			if cause := recover(); cause != nil {
				s.answerPanic(traced, recorded, cause, id)
			}
			took := time.Since(start)
			s.Metrics.countRequest(recorded.part, recorded.route, recorded.status, took)
			s.logRequest(traced, r, recorded, id, address, took)
			endRequest(span, r, recorded, id)
		}()
		if r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
			recorded.part, recorded.route = "probe", r.URL.Path
			seen := Seen{Host: r.Host, Address: address, Peer: peer(r), RequestID: id}
			if !answerDoctor(recorded, r, s.Portal.Sealing, seen, start) {
				s.probe(recorded, r)
			}
			return
		}
		s.Metrics.inFlight.Inc()
		defer s.Metrics.inFlight.Dec()
		if s.Tracer != nil {
			traced, span = s.Tracer.Request(traced, proxyTraceparent(r, s.TrustedProxies))
		}
		caller := access.Caller{RequestID: id, Address: address, Agent: r.UserAgent(), Unlimited: s.NoLimit}
		ctx := context.WithValue(access.WithCaller(traced, caller), responseRecorderKey{}, recorded)
		sites.ServeHTTP(recorded, r.WithContext(ctx))
	}
}

func (s *Server) setHeaders(h http.Header, r *http.Request, id string) {
	for name, value := range s.headers {
		h[name] = value
	}
	if s.Production && s.Portal.Access.PlatformHost(r.Host) {
		h["Strict-Transport-Security"] = platformHSTS
	}
	h["X-Request-Id"] = []string{id}
	if s.stopping.Load() {
		// A proxy then sends its next request on another connection, not on this one when it is just being closed.
		h["Connection"] = []string{"close"}
	}
}

// answerPanic logs a panic and answers with status 500. It passes http.ErrAbortHandler on, by which a handler breaks
// the connection on purpose.
func (s *Server) answerPanic(ctx context.Context, w *responseRecorder, cause any, id string) {
	if cause == http.ErrAbortHandler {
		panic(cause)
	}
	s.Log.LogAttrs(ctx, slog.LevelError, "panic", slog.String("request_id", id), slog.Any("error", cause))
	if w.status == 0 {
		http.Error(w, "Something went wrong on our side. "+id, http.StatusInternalServerError)
	}
}

// logRequest logs a request. It leaves the query out because the query may contain a code.
func (s *Server) logRequest(
	ctx context.Context, r *http.Request, w *responseRecorder, id, address string, took time.Duration,
) {
	s.RequestLog.LogAttrs(ctx, slog.LevelInfo, "request",
		slog.String("request_id", id), slog.String("method", r.Method),
		slog.String("host", shorten(r.Host, 80)), slog.String("path", shorten(r.URL.Path, 200)),
		slog.Int("status", w.status), slog.Int("bytes", w.bytes),
		milliseconds(took), slog.String("address", address))
}

// endRequest ends the span of a request. The span has the pattern of the route instead of the path and the query, which
// may contain a code.
func endRequest(span tracing.Span, r *http.Request, w *responseRecorder, id string) {
	if span.IsZero() {
		return
	}
	method := knownMethod(r.Method)
	span.SetName(method + " " + w.route)
	span.SetString("http.request.method", method)
	span.SetString("http.route", w.route)
	span.SetInt("http.response.status_code", int64(w.status))
	span.SetString("portico.door", w.part)
	span.SetString("portico.request_id", id)
	failure := ""
	if w.status >= http.StatusInternalServerError {
		failure = strconv.Itoa(w.status)
	}
	span.End(failure)
}

// knownMethod returns a method that the program serves, or _OTHER, because callers may send any word.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions, http.MethodPut, http.MethodDelete:
		return method
	}
	return "_OTHER"
}

// probe answers /livez at once, and /readyz after a check of the database, within readyTimeout.
func (s *Server) probe(w http.ResponseWriter, r *http.Request) {
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

// readiness is the result of the last check of the database. It is reused for readyCacheTime, because everybody can
// send probes and they must not keep the database busy.
type readiness struct {
	mu sync.Mutex
	at time.Time
	ok bool
}

// ready reports within readyTimeout whether the database accepts writes. SQLite ignores the context while it waits for
// a lock of another process, so the check runs in a goroutine, and a probe stops waiting at the timeout.
func (s *Server) ready() bool {
	s.readiness.mu.Lock()
	defer s.readiness.mu.Unlock()
	if time.Since(s.readiness.at) < readyCacheTime {
		return s.readiness.ok
	}
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	answered := make(chan error, 1)
	go func() {
		defer cancel()
		answered <- s.Portal.Ready(ctx)
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

// responseRecorder records the status and size of a response, and which part and route of the program gave it.
type responseRecorder struct {
	http.ResponseWriter
	status, bytes int
	part, route   string // the labels "door" and "route" of the metrics
}

// unmatchedRoute is the route in the metrics of a request that no pattern matched.
const unmatchedRoute = "other"

type responseRecorderKey struct{}

// SetPart records for the metrics which part of the program answers a request: "api" or "standin". Without a call it is
// "pages".
func SetPart(r *http.Request, door string) {
	if w, ok := r.Context().Value(responseRecorderKey{}).(*responseRecorder); ok {
		w.part = door
	}
}

// SetRoute records for the metrics the pattern of the route that answers a request.
func SetRoute(r *http.Request, route string) {
	if w, ok := r.Context().Value(responseRecorderKey{}).(*responseRecorder); ok && route != "" {
		w.route = route
	}
}

func (w *responseRecorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *responseRecorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *responseRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// requestIDs makes ids that are unique across instances and restarts: a random prefix and a counter.
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

// shorten cuts s after a number of bytes.
func shorten(s string, bytes int) string {
	if len(s) > bytes {
		return s[:bytes]
	}
	return s
}
