package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"portico/config"
	"portico/portal"
	"portico/portal/core"
	"portico/store"
)

// syncBuffer is a buffer for several goroutines.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *syncBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *syncBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// testServer returns a server for a handler, with an empty SQLite file and the settings of environ, and its log.
func testServer(t testing.TB, sites http.Handler, environ ...string) (*Server, *syncBuffer) {
	t.Helper()
	s, written, _ := testServerAndDatabase(t, sites, environ...)
	return s, written
}

// testServerAndDatabase is testServer and also returns the database.
func testServerAndDatabase(t testing.TB, sites http.Handler, environ ...string) (*Server, *syncBuffer, *store.DB) {
	t.Helper()
	c, err := config.Read(append([]string{"PORTICO_DATABASE=sqlite:" + filepath.Join(t.TempDir(), "p.db")}, environ...))
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), c.Database.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	written := new(syncBuffer)
	log := slog.New(slog.NewJSONHandler(written, nil))
	p, err := portal.New(portal.Options{
		DB: db, Base: c.Base, Secret: make([]byte, core.MinSecret),
		Dev: true, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{
		Portal:         p,
		Handler:        sites,
		Log:            log,
		RequestLog:     log,
		Metrics:        NewMetrics(),
		TrustedProxies: c.Server.TrustedProxies,
	}), written, db
}

// get requests a URL from a server.
func get(s *Server, target string) *http.Response {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w.Result()
}

// noContent answers with status 204.
func noContent(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

func TestPanicIsAnsweredWith500AndLogged(t *testing.T) {
	s, written := testServer(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("canary-trouble") }))
	r := get(s, "http://localhost/")
	body, _ := io.ReadAll(r.Body)
	if r.StatusCode != http.StatusInternalServerError || strings.Contains(string(body), "canary") ||
		!strings.Contains(string(body), r.Header.Get("X-Request-Id")) {
		t.Errorf("%d %s", r.StatusCode, body)
	}
	if r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a cache may store it: %v", r.Header)
	}
	if !strings.Contains(written.String(), "canary-trouble") {
		t.Error("the panic is not in the log")
	}
}

func TestAProxyThatDoesNotSayWhoCallsIsWarnedAboutOnceAMinute(t *testing.T) {
	s, written := testServer(t, http.HandlerFunc(noContent), "PORTICO_TRUSTED_PROXIES=10.0.0.0/8")
	call := func(peer, forwarded string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = peer
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
	warnings := func() int { return strings.Count(written.String(), "caller's address unknown") }
	call("10.0.0.1:999", "198.51.100.8:80")
	call("198.51.100.7:999", "")
	if n := warnings(); n != 0 {
		t.Errorf("%d warnings about callers with an address", n)
	}
	for range 3 {
		call("10.0.0.1:999", "")
		call("10.0.0.1:999", "unknown")
	}
	if n := warnings(); n != 1 {
		t.Errorf("%d warnings about callers without one", n)
	}
	s.unknownCallers.warned = time.Now().Add(-warnAgain)
	call("10.0.0.1:999", "unknown")
	if n := warnings(); n != 2 || !strings.Contains(written.String(), `"x_forwarded_for":"unknown"`) {
		t.Errorf("%d warnings after a minute\n%s", n, written.String())
	}
}

func TestForwardedAddressIsUsedOnlyFromTrustedProxy(t *testing.T) {
	loggedAddress := func(environ []string, peer string, headers ...string) string {
		var address string
		s, written := testServer(t, http.HandlerFunc(noContent), environ...)
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = peer
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Add(headers[i], headers[i+1])
		}
		s.ServeHTTP(httptest.NewRecorder(), r)
		var entry map[string]any
		lines := strings.Split(strings.TrimSpace(written.String()), "\n") // the last one is about the request
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &entry); err != nil {
			t.Fatal(err)
		}
		address, _ = entry["address"].(string)
		return address
	}
	trusted := []string{"PORTICO_TRUSTED_PROXIES=10.0.0.0/8"}
	for _, c := range []struct {
		environ []string
		peer    string
		headers []string
		want    string
	}{
		{
			nil, "198.51.100.7:999",
			[]string{"X-Forwarded-For", "1.2.3.4", "True-Client-IP", "1.2.3.4", "X-Real-IP", "1.2.3.4"}, "198.51.100.7",
		},
		{trusted, "198.51.100.7:999", []string{"X-Forwarded-For", "1.2.3.4"}, "198.51.100.7"},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "1.2.3.4, 198.51.100.8"}, "198.51.100.8"},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "1.2.3.4, 198.51.100.8, 10.0.0.2"}, "198.51.100.8"},
		{nil, "[2001:db8::1]:999", nil, "2001:db8::1"},
		{trusted, "[2001:db8::1]:999", []string{"X-Forwarded-For", "1.2.3.4"}, "2001:db8::1"},
		{trusted, "[::ffff:10.0.0.1]:999", []string{"X-Forwarded-For", "198.51.100.8"}, "198.51.100.8"},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "198.51.100.8, ::ffff:10.0.0.2"}, "198.51.100.8"},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "198.51.100.8,, 10.0.0.2 ,"}, "198.51.100.8"},
		{
			trusted, "10.0.0.1:999",
			[]string{
				"X-Forwarded-For", "1.2.3.4", "X-Forwarded-For", "198.51.100.8, 10.0.0.2", "X-Forwarded-For",
				"10.0.0.3",
			},
			"198.51.100.8",
		},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "1.2.3.4, unknown, 10.0.0.2"}, ""},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "1.2.3.4, 198.51.100.8:80"}, "198.51.100.8"},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "198.51.100.8:80, 10.0.0.2:81"}, "198.51.100.8"},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "[2001:db8::1]:443"}, "2001:db8::1"},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "[2001:db8::1]"}, "2001:db8::1"},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", `"198.51.100.8"`}, "198.51.100.8"},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", `"[2001:db8::1]:443"`}, "2001:db8::1"},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "198.51.100.8:port"}, ""},
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{[]string{"PORTICO_TRUSTED_PROXIES=none"}, "10.0.0.1:999", []string{"X-Forwarded-For", "1.2.3.4"}, "10.0.0.1"},
		{
			trusted, "10.0.0.1:999",
			[]string{"True-Client-IP", "1.2.3.4", "X-Real-IP", "1.2.3.4", "Forwarded", "for=1.2.3.4"}, "",
		},
		{
			[]string{"PORTICO_TRUSTED_PROXIES=10.0.0.0/8,fe80::/10"}, "[fe80::1%eth0]:999",
			[]string{"X-Forwarded-For", "2001:db8::2%eth9"}, "2001:db8::2",
		},
	} {
		if got := loggedAddress(c.environ, c.peer, c.headers...); got != c.want {
			t.Errorf("%v from %s: %s, want %s", c.headers, c.peer, got, c.want)
		}
	}
}

func TestReadinessProbeFailsWhileStopping(t *testing.T) {
	s, _ := testServer(t, http.HandlerFunc(noContent))
	if r := get(s, "http://localhost/livez"); r.StatusCode != http.StatusOK {
		t.Errorf("/livez: %d", r.StatusCode)
	}
	// A check that takes longer than readyTimeout on a busy machine is tried again.
	ready := get(s, "http://localhost/readyz").StatusCode
	for deadline := time.Now().Add(30 * time.Second); ready != http.StatusOK && time.Now().Before(deadline); {
		time.Sleep(2 * readyCacheTime)
		ready = get(s, "http://localhost/readyz").StatusCode
	}
	if ready != http.StatusOK {
		t.Errorf("/readyz: %d", ready)
	}
	s.stopping.Store(true)
	if r := get(s, "http://localhost/readyz"); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("ready while stopping: %d", r.StatusCode)
	}
	if r := get(s, "http://localhost/livez"); r.StatusCode != http.StatusOK {
		t.Errorf("/livez while stopping: %d", r.StatusCode)
	}
}

// The probe of a database that does not answer waits for one second. Its result holds for 200 ms: everybody can send
// probes, and they must not keep the database busy.
func TestReadinessIsCheckedForASecondAndReusedFor200Milliseconds(t *testing.T) {
	s, _, db := testServerAndDatabase(t, http.HandlerFunc(noContent))
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = db.Tx(context.Background(), func(*store.DB) error { // SQLite has one writer
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	defer func() { close(release); <-ended }()
	synctest.Test(t, func(t *testing.T) {
		probe := func(want bool, wait time.Duration) {
			t.Helper()
			began := time.Now()
			if got := s.ready(); got != want || time.Since(began) != wait {
				t.Errorf("ready: %t after %s, want %t after %s", got, time.Since(began), want, wait)
			}
		}
		s.readiness.ok, s.readiness.at = true, time.Now()
		time.Sleep(199 * time.Millisecond)
		probe(true, 0)
		time.Sleep(time.Millisecond)
		probe(false, time.Second)
		time.Sleep(199 * time.Millisecond)
		probe(false, 0)
	})
}

func TestRunningRequestsFinishWhenTheServerStops(t *testing.T) {
	started, finish := make(chan struct{}), make(chan struct{})
	s, _ := testServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(started)
		<-finish
		fmt.Fprint(w, "finished")
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Run(ctx, listener) }()
	answered := make(chan string, 1)
	go func() {
		r, err := http.Get("http://" + listener.Addr().String() + "/")
		if err != nil {
			answered <- err.Error()
			return
		}
		body, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		answered <- string(body)
	}()
	<-started
	stop()
	close(finish)
	if got := <-answered; got != "finished" {
		t.Errorf("the running request got %q", got)
	}
	if err := <-stopped; err != nil {
		t.Errorf("stopped with %v", err)
	}
}

func TestServerLimitsTimesAndSizesOfRequests(t *testing.T) {
	s, _ := testServer(t, http.HandlerFunc(noContent), behindProxy)
	for name, limit := range map[string]struct{ got, want time.Duration }{
		"headers":                 {s.http.ReadHeaderTimeout, 5 * time.Second},
		"a body":                  {s.http.ReadTimeout, 30 * time.Second},
		"an answer":               {s.http.WriteTimeout, 30 * time.Second},
		"an idle connection":      {s.http.IdleTimeout, 60 * time.Second},
		"HTTP/2, unread bytes":    {s.http.HTTP2.WriteByteTimeout, 30 * time.Second},
		"HTTP/2, silence":         {s.http.HTTP2.SendPingTimeout, 60 * time.Second},
		"HTTP/2, a ping's answer": {s.http.HTTP2.PingTimeout, 5 * time.Second},
	} {
		if limit.got != limit.want {
			t.Errorf("%s: %s, want %s", name, limit.got, limit.want)
		}
	}
	if s.http.MaxHeaderBytes != 32<<10 {
		t.Errorf("headers of %d bytes", s.http.MaxHeaderBytes)
	}
}

// pipeListener is a listener of one connection in memory, for a bubble of synctest.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (*pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func TestRunningRequestHas20SecondsToFinishWhenTheServerStops(t *testing.T) {
	for _, c := range []struct {
		needs    time.Duration
		finished bool
	}{{19 * time.Second, true}, {21 * time.Second, false}} {
		synctest.Test(t, func(t *testing.T) {
			started := make(chan struct{})
			s := &Server{Options: Options{Log: slog.New(slog.DiscardHandler)}}
			s.http = &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				close(started)
				time.Sleep(c.needs)
			})}
			client, conn := net.Pipe()
			defer func() { _ = client.Close() }()
			listener := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
			listener.conns <- conn
			ctx, stop := context.WithCancel(t.Context())
			stopped := make(chan error, 1)
			go func() { stopped <- s.Run(ctx, listener) }()
			go func() {
				_, _ = io.WriteString(client, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
				_, _ = io.Copy(io.Discard, client)
			}()
			<-started
			began := time.Now()
			stop()
			err := <-stopped
			took := time.Since(began)
			if (err == nil) != c.finished || !c.finished && took != 20*time.Second {
				t.Errorf("a request of %s: stopped after %s with %v", c.needs, took, err)
			}
			time.Sleep(time.Minute) // until the request has ended
		})
	}
}

func TestRequestIDsDoNotRepeat(t *testing.T) {
	ids, seen := newRequestIDs(), map[string]bool{}
	for range 1000 {
		seen[ids.next()] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d different ids of 1000", len(seen))
	}
}
