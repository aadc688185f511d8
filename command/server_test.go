package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/config"
	"portico/config/configtest"
	"portico/e2e/testscope"
	"portico/pages"
	"portico/server"
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

// testServer returns the program with an empty SQLite file and the settings of environ, and the log of its requests.
func testServer(t testing.TB, environ ...string) (*server.Server, *syncBuffer) {
	t.Helper()
	s, written, _ := testServerAndDatabase(t, environ...)
	return s, written
}

// testServerAndDatabase is testServer and also returns the database.
func testServerAndDatabase(t testing.TB, environ ...string) (*server.Server, *syncBuffer, *store.DB) {
	t.Helper()
	c, err := config.Read(append([]string{"PORTICO_DATABASE=sqlite:" + filepath.Join(t.TempDir(), "p.db")}, environ...))
	if err != nil {
		t.Fatal(err)
	}
	db, err := openMigrating(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	m := server.NewMetrics()
	p, _, err := newPortal(c, db, dependencies{log: newLog(c, io.Discard), metrics: m})
	if err != nil {
		t.Fatal(err)
	}
	if err := watch(m, db, p); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	written := new(syncBuffer)
	log := slog.New(slog.NewJSONHandler(written, nil))
	handler, err := newSites(c, p, log, nil)
	if err != nil {
		t.Fatal(err)
	}
	return newServer(c, p, handler, log, log, m), written, db
}

// request sends a request to the server. headers are names and values in turn.
func request(s *server.Server, method, target string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	r.URL.Host = ""
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func TestEveryResponseHasSecurityHeaders(t *testing.T) {
	s, _ := testServer(t, configtest.Production()...)
	for target, method := range map[string]string{
		"https://account.portico.test/login": "GET", "https://account.portico.test/company": "GET",
		"https://account.portico.test/nothing": "GET", "https://account.portico.test/logout": "PUT",
		"https://account.portico.test/favicon.ico": "GET", "https://account.portico.test/livez": "GET",
		"https://store1001.portico.test/": "GET", "https://account.portico.test/company?x": "POST",
	} {
		r := request(s, method, target)
		for _, name := range []string{
			"X-Content-Type-Options", "Strict-Transport-Security", "Referrer-Policy", "Content-Security-Policy",
			"Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Permissions-Policy",
		} {
			if r.Header.Get(name) == "" {
				t.Errorf("%s %s (%d): no %s", method, target, r.StatusCode, name)
			}
		}
		if strings.Contains(r.Header.Get("Content-Security-Policy"), "unsafe") {
			t.Errorf("%s: %s", target, r.Header.Get("Content-Security-Policy"))
		}
		if kind := r.Header.Get(
			"Content-Type",
		); r.StatusCode != http.StatusSeeOther && r.StatusCode != http.StatusFound &&
			!strings.Contains(kind, "charset=utf-8") {
			t.Errorf("%s: Content-Type %q", target, kind)
		}
	}
}

// Browsers remember Strict-Transport-Security after a company has left its own domain. So on such a domain it is short
// and does not include other hosts.
func TestStrictTransportSecurityDependsOnHost(t *testing.T) {
	live, _ := testServer(t, configtest.Production()...)
	dev, _ := testServer(t, "PORTICO_BASE=http://portico.test")
	for _, s := range []*server.Server{live, dev} {
		if err := s.Portal.Onboarding.LoadDemo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const platform, own = "max-age=63072000; includeSubDomains", "max-age=2592000"
	want := func(s *server.Server, host, rule string) {
		t.Helper()
		for _, path := range []string{"/", "/login", "/nothing", "/login/account", "/mgr", "/assets/nothing"} {
			got := request(s, http.MethodGet, "https://"+host+path).Header["Strict-Transport-Security"]
			if strings.Join(got, "|") != rule {
				t.Errorf("%s%s: %q, want %q", host, path, got, rule)
			}
		}
	}
	for host, rule := range map[string]string{
		"portico.test": platform, "account.portico.test": platform, "store1001.portico.test:8443": platform,
		"M.portico.test.": platform, "api.portico.test": platform, "jinsui.test": own, "jinsui.test:443": own,
		"www.jinsui.test": "", "evil.test": "", "portico.test.evil.test": "", "192.0.2.1": "",
	} {
		want(live, host, rule)
		want(dev, host, "")
	}
	if err := live.Portal.Operator.SetCompany(t.Context(), 1001, "no_domain", "jinsui.test"); err != nil {
		t.Fatal(err)
	}
	want(live, "jinsui.test", "")
}

// The API is served only on its own host. In dev it is also served on the names of this machine.
func TestHostSelectsPagesOrAPI(t *testing.T) {
	dev, _ := testServer(t)
	live, _ := testServer(t, configtest.Production()...)
	for _, c := range []struct {
		s      *server.Server
		target string
		status int
		kind   string
	}{
		{dev, "http://api.localhost:8080/v1/account/getAccountList", 401, "application/json"},
		{dev, "http://api.localhost:8080/login", 404, "application/json"},
		{dev, "http://API.localhost.:8080/docs", 200, "text/html"},
		{dev, "http://localhost:8080/v1/account/getAccountList", 401, "application/json"},
		{dev, "http://127.0.0.1:8080/openapi.json", 200, "application/json"},
		{dev, "http://localhost:8080/login", 200, "text/html"},
		{dev, "http://account.localhost:8080/v1/account/getAccountList", 404, "text/html"},
		{live, "https://api.portico.test/v1/account/getAccountList", 401, "application/json"},
		{live, "https://api.portico.test/openapi.json", 200, "application/json"},
		{live, "https://portico.test/v1/account/getAccountList", 404, "text/html"},
		{live, "https://127.0.0.1/openapi.json", 404, "text/html"},
		{live, "https://api.portico.test.evil.test/openapi.json", 404, "text/html"},
		{live, "https://api.portico.test/docs/try.js", 404, "application/json"},
	} {
		if r := request(c.s, "GET", c.target); r.StatusCode != c.status ||
			!strings.HasPrefix(r.Header.Get("Content-Type"), c.kind) {
			t.Errorf("%s: %d %s", c.target, r.StatusCode, r.Header.Get("Content-Type"))
		}
	}
}

func TestLogLinesCannotBeForgedAndContainNoQuery(t *testing.T) {
	s, written := testServer(t)
	request(s, "GET", "http://localhost/login?auth_code_=canary-code&msg=x", "User-Agent", "a\"b\u001b[31m")
	request(s, "GET", "http://localhost/%0d%0a%7b%22level%22:%22forged%22%7d")
	for line := range strings.Lines(written.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("not one JSON line: %q", line)
		}
		if entry["level"] == "forged" {
			t.Error("a path forged a log entry")
		}
	}
	if strings.Contains(written.String(), "canary-code") {
		t.Error("a code of the query is in the log")
	}
}

func TestForwardedHostsAreIgnored(t *testing.T) {
	s, _ := testServer(t, configtest.Production()...)
	plain, _ := io.ReadAll(request(s, "GET", "https://account.portico.test/login").Body)
	for _, h := range []string{
		"X-Forwarded-Host", "Forwarded", "X-Forwarded-Proto", "X-Original-URL", "X-Rewrite-URL", "X-Host",
	} {
		body, _ := io.ReadAll(request(s, "GET", "https://account.portico.test/login", h, "host=evil.test").Body)
		if !bytes.Equal(body, plain) {
			t.Errorf("%s changed the page", h)
		}
	}
}

func TestLostDatabaseIsReportedByProbeAndPage(t *testing.T) {
	c, err := config.Read([]string{"PORTICO_DATABASE=sqlite:" + filepath.Join(t.TempDir(), "p.db")})
	if err != nil {
		t.Fatal(err)
	}
	db, err := openMigrating(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := newPortal(c, db, dependencies{log: newLog(c, io.Discard)})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewJSONHandler(new(syncBuffer), nil))
	sites := pages.New(pages.Options{Portal: p, Base: c.Base, Log: log})
	s := newServer(c, p, sites, log, log, server.NewMetrics())
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if r := request(s, "GET", "http://localhost/readyz"); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("ready: %d", r.StatusCode)
	}
	r := request(s, "GET", "http://store1001.localhost/login")
	body, _ := io.ReadAll(r.Body)
	if r.StatusCode != http.StatusServiceUnavailable || strings.Contains(string(body), "sql") ||
		r.Header.Get("Retry-After") == "" ||
		!strings.Contains(string(body), "系统繁忙") {
		t.Errorf("%d %s", r.StatusCode, body)
	}
}

// Requests that no HTTP client sends must select no company and cause no server error.
func TestOddRequestLinesSelectNoCompanyAndCauseNoError(t *testing.T) {
	s, _ := testServer(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Run(ctx, listener) }()
	defer func() { stop(); <-stopped }()
	for name, raw := range map[string]string{
		"two hosts":     "GET /login HTTP/1.1\r\nHost: store1001.localhost\r\nHost: evil.test\r\n\r\n",
		"absolute form": "GET http://store1001.localhost/login HTTP/1.1\r\nHost: evil.test\r\n\r\n",
		"comma":         "GET /login HTTP/1.1\r\nHost: a,b\r\n\r\n",
		"percent":       "GET /login HTTP/1.1\r\nHost: store5%00\r\n\r\n",
		"no host":       "GET /login HTTP/1.1\r\n\r\n",
		"both lengths": "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: " +
			"6\r\n\r\nhello!",
		"space in a name":  "GET /login HTTP/1.1\r\nHost: localhost\r\nX : y\r\n\r\n",
		"nul in a value":   "GET /login HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
		"headers too long": "GET /login HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("a", 64<<10) + "\r\n\r\n",
	} {
		conn, err := net.DialTimeout("tcp", listener.Addr().String(), 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(conn, raw)
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
			if r.StatusCode >= 500 || strings.Contains(string(body), "金穗") ||
				strings.Contains(string(body), "evil.test") {
				t.Errorf("%s: %d", name, r.StatusCode)
			}
		}
		_ = conn.Close()
	}
}

func TestLoggedDurationsAreMilliseconds(t *testing.T) {
	const others = `slog\.Duration\(|"micros"|Int(64)?\("(wait|took|for|drain|nanos|seconds)"`
	find := func(pattern string) (string, error) {
		out, err := exec.Command("grep", "-rnE", pattern, testscope.Root(), "--include=*.go", "--exclude=*_test.go").
			CombinedOutput()
		return string(out), err
	}
	out, err := find(others)
	if len(out) > 0 && err == nil {
		t.Errorf("name it ms, or …_ms, and give milliseconds:\n%s", out)
	}
	out, err = find(`\(.*"security",`)
	if lines := strings.Count(out, "\n"); err != nil || lines != 1 {
		t.Errorf("logSecurity writes all security lines:\n%s", out)
	}
}

func TestListeningAddressIsLogged(t *testing.T) {
	written := new(syncBuffer)
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	logListening(slog.New(slog.NewJSONHandler(written, nil)), at)
	var entry map[string]any
	if err := json.Unmarshal([]byte(written.String()), &entry); err != nil {
		t.Fatal(err)
	}
	here := entry["msg"] == "listening" && entry["address"] == "127.0.0.1:8080"
	if !here || entry["version"] != readBuild().version || entry["commit"] == "" {
		t.Errorf("%v", entry)
	}
}

// A profiler discloses the inside of the program and uses seconds of a core.
func TestNoServerServesTheProfiler(t *testing.T) {
	s, _ := testServer(t)
	metrics := s.Metrics.Handler(s.Log)
	for _, path := range []string{
		"/debug/pprof/", "/debug/pprof/profile", "/debug/pprof/heap", "/debug/vars", "/debug/pprof/cmdline",
	} {
		for _, host := range []string{
			"localhost", "account.localhost", "api.localhost", "m.localhost", "store1001.localhost",
		} {
			if r := request(s, "GET", "http://"+host+":8080"+path); r.StatusCode != http.StatusNotFound {
				t.Errorf("%s%s: %d", host, path, r.StatusCode)
			}
		}
		w := httptest.NewRecorder()
		if metrics.ServeHTTP(w, httptest.NewRequest("GET", path, nil)); w.Code != http.StatusNotFound {
			t.Errorf("%s on the metrics' address: %d", path, w.Code)
		}
	}
}
