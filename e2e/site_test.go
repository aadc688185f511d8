package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"portico/store"
)

// site is a running program with a database of its own.
type site struct {
	port     string
	scheme   string
	base     string   // the {host} of the platform
	others   []string // hosts outside the platform that the tests may visit
	database string
	logFile  string
	environ  []string
	cmd      *exec.Cmd
	exited   chan error
	stopped  bool

	mu     sync.Mutex
	hidden []string // secrets of chat apps that its log may not hold
}

// start runs the program in a folder of its own, with the demo data; more are settings, "NAME=value".
func start(program, dir, limits string, more ...string) (*site, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	_ = listener.Close()
	s := &site{
		port: port, scheme: "http", base: "localhost:" + port,
		database: filepath.Join(dir, "portico.db"), logFile: filepath.Join(dir, "log"), exited: make(chan error, 1),
	}
	s.environ = []string{
		"PORTICO_BASE=http://localhost:" + port, "PORTICO_ADDR=127.0.0.1:" + port, "PORTICO_DATABASE=sqlite:" + s.database,
		"PORTICO_LIMITS=" + limits, "PORTICO_UPLOADS=dir:" + filepath.Join(dir, "uploads"), "PORTICO_SUPPORT=" + supportName + ":" + supportPhone,
		"PORTICO_APP_VERSION=ios=9.0,android=1.0",
	}
	s.environ = append(s.environ, more...)
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PORTICO_") {
			s.environ = append(s.environ, pair)
		}
	}
	s.cmd = exec.Command(program, "serve")
	if err := s.manage("migrate"); err != nil {
		return nil, err
	}
	if err := s.manage("demo"); err != nil {
		return nil, err
	}
	log, err := os.Create(s.logFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = s.environ, io.Discard, log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.exited <- s.cmd.Wait() }()
	return s, s.awaitReady()
}

// manage runs a subcommand of the program on the site's database.
func (s *site) manage(args ...string) error {
	cmd := exec.Command(s.cmd.Path, args...)
	cmd.Env = s.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("portico %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (s *site) awaitReady() error {
	deadline := time.Now().Add(patience)
	for {
		answer, err := http.Get("http://127.0.0.1:" + s.port + "/readyz")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-s.exited:
			return fmt.Errorf("portico serve ended: %w\n%s", err, s.log())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("portico serve is not ready after %s\n%s", patience, s.log())
		}
	}
}

func (s *site) log() string {
	text, _ := os.ReadFile(s.logFile)
	return string(text)
}

// stop ends the server as an operator would, and looks at what it leaves: exit status 0, no failure and no
// secret in the log.
func (s *site) stop() error {
	sent, err := s.codesSent()
	if err != nil {
		return err
	}
	tickets, err := s.tickets()
	if err != nil {
		return err
	}
	s.hide(tickets...)
	s.stopped = true
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-s.exited:
		if err != nil {
			return fmt.Errorf("portico serve after SIGTERM: %w\n%s", err, s.log())
		}
	case <-time.After(patience):
		s.stopped = false
		return fmt.Errorf("portico serve did not stop within %s of SIGTERM", patience)
	}
	var troubles []error
	for line := range strings.Lines(s.log()) {
		if strings.Contains(line, `"level":"ERROR"`) {
			troubles = append(troubles, fmt.Errorf("in the log: %s", line))
		}
	}
	if leaked := slices.Concat(secretsIn(s.log()), codesIn(s.log(), sent), s.hiddenIn(s.log())); len(leaked) > 0 {
		troubles = append(troubles, fmt.Errorf("in the log: %q", leaked))
	}
	return errors.Join(troubles...)
}

func (s *site) kill() {
	if !s.stopped {
		_ = s.cmd.Process.Kill()
	}
}

// secrets are what no log and no browser storage may hold: full phone numbers, passwords, auth codes.
var secrets = regexp.MustCompile(`138\s?0000\s?00\d\d|139\s?0000\s?\d{4}|` + password + `|` + newPassword + `|auth_code_=`)

func secretsIn(text string) []string { return secrets.FindAllString(text, -1) }

// at is the address of a path on one of the hosts: "account", "store1001", "" for the platform's own.
func (s *site) at(host, path string) string {
	if host != "" {
		host += "."
	}
	return s.scheme + "://" + host + s.base + path
}

// visits says whether a host is one of the site's, or one that the tests may visit beside it.
func (s *site) visits(host string) bool {
	name, _, _ := strings.Cut(s.base, ":")
	hostname, _, _ := strings.Cut(host, ":")
	return hostname == name || strings.HasSuffix(hostname, "."+name) || slices.Contains(s.others, hostname)
}

// seed opens the database of the running server to write to it.
func (s *site) seed(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), "sqlite:"+s.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// count looks into the database of the running server.
func (s *site) count(t *testing.T, query string, args ...any) int {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+s.database+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var n int
	if err := db.QueryRow(query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// link signs in from another browser that runs no scripts and gives the address it is sent to, its one-time
// code unused. width is what its page reports.
func (s *site) link(t *testing.T, who string, width int) string {
	t.Helper()
	client := s.client()
	defer client.CloseIdleConnections()
	door, field := doorOf(who)
	answer, err := client.PostForm(s.at("account", door), url.Values{field: {who}, "password": {password}, "width": {fmt.Sprint(width)}})
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	location := answer.Header.Get("Location")
	if answer.StatusCode != http.StatusSeeOther || !strings.Contains(location, "auth_code_=") {
		t.Fatalf("signing in as %s: status %d, location %q", who, answer.StatusCode, location)
	}
	return location
}

// client is a browser that runs no scripts and follows no redirects.
func (s *site) client() *http.Client {
	jar, _ := cookiejar.New(nil)
	dialer := &net.Dialer{}
	return &http.Client{
		Jar: jar, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, "127.0.0.1:"+s.port)
		}},
	}
}

// doorOf is the sign-in page of a phone or a login, and the name of its field.
func doorOf(who string) (path, field string) {
	if strings.Trim(who, "0123456789") == "" {
		return "/login", "phone"
	}
	return "/login/account", "login"
}
