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
	"time"

	"portico/config"
	"portico/portal"
	"portico/portal/sealing"
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
		DB: db, Base: c.Base, Secret: make([]byte, sealing.MinSecret),
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
	}), written
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
		if err := json.Unmarshal([]byte(written.String()), &entry); err != nil {
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
		{trusted, "10.0.0.1:999", []string{"X-Forwarded-For", "1.2.3.4, 198.51.100.8:80"}, ""},
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
	s, _ := testServer(t, http.HandlerFunc(noContent))
	h := s.http
	if h.ReadHeaderTimeout != 5*time.Second || h.ReadTimeout > 30*time.Second || h.WriteTimeout > 30*time.Second ||
		h.IdleTimeout > 60*time.Second ||
		h.MaxHeaderBytes > 32<<10 {
		t.Errorf("%+v", h)
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
