package program

import (
	"context"
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
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"portico/e2e/testscope"
)

// Server is a running program with a database of its own.
type Server struct {
	Port         string
	Scheme       string   // "http" or "https"
	Base         string   // the platform's host and port, without a scheme
	OtherHosts   []string // hosts outside the platform that tests may visit
	DatabaseFile string
	LogFile      string
	Environ      []string   // the environment of the program and its subcommands
	Command      *exec.Cmd  // the running program
	Exited       chan error // receives the result of Command when it ends
	stopped      bool

	mu     sync.Mutex // guards hidden
	hidden []string   // given to HideSecrets
}

// Start creates a folder, runs the program in it with the demo data and waits until it is ready. limits is the value of
// PORTICO_LIMITS, "on" or "off". more are further settings, each "NAME=value".
func Start(program, dir, limits string, more ...string) (*Server, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	port := strconv.Itoa(testscope.FreePort())
	s := &Server{
		Port: port, Scheme: "http", Base: "localhost:" + port,
		DatabaseFile: filepath.Join(dir, "portico.db"), LogFile: filepath.Join(dir, "log"), Exited: make(chan error, 1),
	}
	s.Environ = []string{
		"PORTICO_BASE=http://localhost:" + port,
		"PORTICO_ADDR=127.0.0.1:" + port,
		"PORTICO_DATABASE=sqlite:" + s.DatabaseFile,
		"PORTICO_LIMITS=" + limits,
		"PORTICO_UPLOADS=dir:" + filepath.Join(dir, "uploads"),
		"PORTICO_SUPPORT=" + SupportName + ":" + SupportPhone,
		"PORTICO_APP_VERSION=ios=9.0,android=1.0",
	}
	s.Environ = append(s.Environ, more...)
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PORTICO_") {
			s.Environ = append(s.Environ, pair)
		}
	}
	s.Command = exec.Command(program, "serve")
	if err := s.Run("migrate"); err != nil {
		return nil, err
	}
	if err := s.Run("demo"); err != nil {
		return nil, err
	}
	log, err := os.Create(s.LogFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	s.Command.Env = s.Environ
	s.Command.Stdout = io.Discard
	s.Command.Stderr = log
	if err := s.Command.Start(); err != nil {
		return nil, err
	}
	go func() { s.Exited <- s.Command.Wait() }()
	return s, s.AwaitReady()
}

// Run runs a subcommand of the program on the server's database.
func (s *Server) Run(args ...string) error {
	cmd := exec.Command(s.Command.Path, args...)
	cmd.Env = s.Environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("portico %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// AwaitReady waits until the server answers its readiness probe. It fails if the server ends, or after Patience.
func (s *Server) AwaitReady() error {
	deadline := time.Now().Add(Patience)
	for {
		answer, err := http.Get("http://127.0.0.1:" + s.Port + "/readyz")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-s.Exited:
			return fmt.Errorf("portico serve ended: %w\n%s", err, s.Log())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("portico serve is not ready after %s\n%s", Patience, s.Log())
		}
	}
}

// Log returns what the server has logged so far.
func (s *Server) Log() string {
	text, _ := os.ReadFile(s.LogFile)
	return string(text)
}

// Stop ends the server with SIGTERM. It returns an error if the exit status is not 0, or if the log contains an error
// or a secret.
func (s *Server) Stop() error {
	sent, err := s.codesSent()
	if err != nil {
		return err
	}
	tickets, err := s.pageTickets()
	if err != nil {
		return err
	}
	s.HideSecrets(tickets...)
	s.stopped = true
	if err := s.Command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-s.Exited:
		if err != nil {
			return fmt.Errorf("portico serve after SIGTERM: %w\n%s", err, s.Log())
		}
	case <-time.After(Patience):
		s.stopped = false
		return fmt.Errorf("portico serve did not stop within %s of SIGTERM", Patience)
	}
	var troubles []error
	for line := range strings.Lines(s.Log()) {
		if strings.Contains(line, `"level":"ERROR"`) {
			troubles = append(troubles, fmt.Errorf("in the log: %s", line))
		}
	}
	if leaked := slices.Concat(SecretsIn(s.Log()), CodesIn(s.Log(), sent), s.secretsFound(s.Log())); len(leaked) > 0 {
		troubles = append(troubles, fmt.Errorf("in the log: %q", leaked))
	}
	return errors.Join(troubles...)
}

// Kill ends the server at once, unless Stop has ended it.
func (s *Server) Kill() {
	if !s.stopped {
		_ = s.Command.Process.Kill()
	}
}

// URL returns the URL of a path on one of the server's hosts. host is its first label, such as "account" or
// "store1001", or "" for the platform's own host.
func (s *Server) URL(host, path string) string {
	if host != "" {
		host += "."
	}
	return s.Scheme + "://" + host + s.Base + path
}

// Owns reports whether a host belongs to the server or is one of OtherHosts.
func (s *Server) Owns(host string) bool {
	name, _, _ := strings.Cut(s.Base, ":")
	hostname, _, _ := strings.Cut(host, ":")
	return hostname == name || strings.HasSuffix(hostname, "."+name) || slices.Contains(s.OtherHosts, hostname)
}

// SignInLink signs in over HTTP and returns the URL that the server redirects to, with its auth code unused. width is
// the window's width that the page would report.
func (s *Server) SignInLink(t *testing.T, who string, width int) string {
	t.Helper()
	client := s.Client()
	defer client.CloseIdleConnections()
	path, field := SignInPage(who)
	answer, err := client.PostForm(
		s.URL("account", path), url.Values{field: {who}, "password": {Password}, "width": {fmt.Sprint(width)}},
	)
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

// Client returns an HTTP client with cookies that follows no redirects. It resolves every host to the server.
func (s *Server) Client() *http.Client {
	jar, _ := cookiejar.New(nil)
	dialer := &net.Dialer{}
	return &http.Client{
		Jar: jar, Timeout: Patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, "127.0.0.1:"+s.Port)
		}},
	}
}

// SignInPage returns the sign-in page for a phone or an account name, and the name of its field.
func SignInPage(who string) (path, field string) {
	if strings.Trim(who, "0123456789") == "" {
		return "/login", "phone"
	}
	return "/login/account", "login"
}
