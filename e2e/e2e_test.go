// Package e2e drives the built program with a real browser, as people do: every flow once with scripts and
// once without.
package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
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
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/launcher/flags"

	"portico/store"
)

const (
	password     = "Demo2026" // of every demo phone and account
	supportPhone = "4008001234"
	patience     = 15 * time.Second // for a condition to come true
)

var (
	chromium *rod.Browser
	scripted bool // the scripts were built: without Node.js there are none
	normal   *site
	limited  *site // the same with its guessing limits on
	absent   string
)

func TestMain(m *testing.M) {
	flag.Parse()
	code := 1
	err := prepared(func() { code = m.Run() })
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// prepared runs the tests between starting and stopping two servers and a browser. What the servers leave
// behind, their exit status and their logs, is checked at the end.
func prepared(run func()) error {
	path, found := launcher.LookPath()
	if !found {
		if os.Getenv("CI") != "" {
			return errors.New("no Chromium or Chrome found")
		}
		absent = "no Chromium or Chrome found: the browser tests need one"
		run()
		return nil
	}
	dir, err := os.MkdirTemp("", "portico-e2e-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	_, err = os.Stat("../assets/dist/manifest.json")
	scripted = err == nil
	if !scripted && os.Getenv("CI") != "" {
		return errors.New("the scripts are not built: npm run build")
	}
	program, err := build(dir)
	if err != nil {
		return err
	}
	if normal, err = start(program, filepath.Join(dir, "normal"), "off"); err != nil {
		return err
	}
	defer normal.kill()
	if limited, err = start(program, filepath.Join(dir, "limited"), "on"); err != nil {
		return err
	}
	defer limited.kill()
	if err := limited.manage("company", "disable", "1003"); err != nil {
		return err
	}
	browser := launcher.New().Bin(path).NoSandbox(true).Leakless(true).UserDataDir(filepath.Join(dir, "profile"))
	for _, name := range []flags.Flag{"disable-gpu", "disable-quic", "disable-component-update"} {
		browser.Set(name) // launcher.New sets the others
	}
	address, err := browser.Launch()
	if err != nil {
		return fmt.Errorf("start Chromium: %w", err)
	}
	defer func() {
		browser.Kill()
		browser.Cleanup() // waits for its end
	}()
	chromium = rod.New().ControlURL(address).NoDefaultDevice()
	if err := chromium.Connect(); err != nil {
		return fmt.Errorf("reach Chromium: %w", err)
	}
	run()
	_ = chromium.Close()
	return errors.Join(normal.stop(), limited.stop())
}

// build compiles the program, with the race detector when the tests have it.
func build(dir string) (string, error) {
	program := filepath.Join(dir, "under-test")
	args := []string{"build", "-o", program}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-race" && s.Value == "true" {
				args = append(args, "-race")
			}
		}
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// site is a running program with a database of its own.
type site struct {
	port     string
	database string
	logFile  string
	environ  []string
	cmd      *exec.Cmd
	exited   chan error
	stopped  bool
}

func start(program, dir, limits string) (*site, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	_ = listener.Close()
	s := &site{port: port, database: filepath.Join(dir, "portico.db"), logFile: filepath.Join(dir, "log"), exited: make(chan error, 1)}
	s.environ = []string{
		"PORTICO_BASE=http://localhost:" + port, "PORTICO_ADDR=127.0.0.1:" + port, "PORTICO_DATABASE=sqlite:" + s.database,
		"PORTICO_LIMITS=" + limits, "PORTICO_SUPPORT=服务台:" + supportPhone,
	}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PORTICO_") {
			s.environ = append(s.environ, pair)
		}
	}
	s.cmd = exec.Command(program, "serve")
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
	if leaked := secretsIn(s.log()); len(leaked) > 0 {
		troubles = append(troubles, fmt.Errorf("in the log: %q", leaked))
	}
	return errors.Join(troubles...)
}

func (s *site) kill() {
	if !s.stopped {
		_ = s.cmd.Process.Kill()
	}
}

// secrets are what no log and no browser storage may hold: full phone numbers of the demo, its password, auth
// codes.
var secrets = regexp.MustCompile(`138\s?0000\s?00\d\d|Demo2026|auth_code_=`)

func secretsIn(text string) []string { return secrets.FindAllString(text, -1) }

// at is the address of a path on one of the hosts: "account", "store1001", "" for the platform's own.
func (s *site) at(host, path string) string {
	if host != "" {
		host += "."
	}
	return "http://" + host + "localhost:" + s.port + path
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
	jar, _ := cookiejar.New(nil)
	dialer := &net.Dialer{}
	client := &http.Client{
		Jar: jar, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, "127.0.0.1:"+s.port)
		}},
	}
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

// doorOf is the sign-in page of a phone or a login, and the name of its field.
func doorOf(who string) (path, field string) {
	if strings.Trim(who, "0123456789") == "" {
		return "/login", "phone"
	}
	return "/login/account", "login"
}

// texts reads the messages of a language, so that rewording one breaks no test.
func texts(t *testing.T, lang string) func(key string) string {
	t.Helper()
	all := map[string]string{}
	for file, prefix := range map[string]string{lang: "", "errors." + lang: "error."} {
		text, err := os.ReadFile("../locale/" + file + ".json")
		messages := map[string]string{}
		if err == nil {
			err = json.NewDecoder(bytes.NewReader(text)).Decode(&messages)
		}
		if err != nil {
			t.Fatal(err)
		}
		for key, message := range messages {
			all[prefix+key] = message
		}
	}
	return func(key string) string {
		if all[key] == "" {
			t.Errorf("no text %q in %s", key, lang)
		}
		return all[key]
	}
}
