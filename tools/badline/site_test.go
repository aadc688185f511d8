package badline_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/store"
)

const (
	password     = "Demo2026" // of every demo phone and account, and of all people that the tests add
	newPassword  = "Blauwal77"
	patience     = 30 * time.Second // for the program to start or to stop, and for an answer
	signSecret   = "portico-dev-sign-secret"
	supportPhone = "4008001234"
)

var (
	programPath string // the built program
	forms       *site  // the site for the tests of single forms and calls
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "badline:", err)
		code = 1
	}
	os.Exit(code)
}

// run builds the program, starts the site that most tests share, and runs the tests.
func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "portico-badline-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programPath = os.Getenv("TEST_PROGRAM") // that of make, which was built before
	if programPath == "" {
		programPath = filepath.Join(dir, "under-test")
		if out, err := testscope.Go(testscope.Root(), "build", "-o", programPath, ".").CombinedOutput(); err != nil {
			return 1, fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	if forms, err = startSite(filepath.Join(dir, "forms")); err != nil {
		return 1, err
	}
	defer forms.kill()
	code = m.Run()
	return code, forms.stop()
}

// site is a running program with a database of its own.
type site struct {
	port     string
	database string
	logFile  string
	environ  []string
	cmd      *exec.Cmd
	exited   chan error
	db       *store.DB // to write records for which the product needs many steps
	raw      *sql.DB   // to count rows, and to change times
}

// newSite starts a site for one test.
func newSite(t *testing.T, more ...string) *site {
	t.Helper()
	s, err := startSite(filepath.Join(t.TempDir(), "site"), more...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer s.kill()
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// startSite runs the program in a folder of its own, with the demo data; more are settings, "NAME=value".
func startSite(dir string, more ...string) (*site, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	port := strconv.Itoa(testscope.FreePort())
	s := &site{port: port, database: filepath.Join(dir, "portico.db"), logFile: filepath.Join(dir, "log"),
		exited: make(chan error, 1)}
	s.environ = []string{
		"PORTICO_BASE=http://localhost:" + port, "PORTICO_ADDR=127.0.0.1:" + port,
		"PORTICO_DATABASE=sqlite:" + s.database,
		"PORTICO_LIMITS=off", "PORTICO_UPLOADS=dir:" + filepath.Join(dir, "uploads"),
		"PORTICO_SUPPORT=Service:" + supportPhone,
	}
	s.environ = append(s.environ, more...)
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PORTICO_") {
			s.environ = append(s.environ, pair)
		}
	}
	for _, name := range []string{"migrate", "demo"} {
		command := exec.Command(programPath, name)
		command.Env = s.environ
		if out, err := command.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("portico %s: %w\n%s", name, err, out)
		}
	}
	if err := s.serve(); err != nil {
		return nil, err
	}
	var err error
	if s.db, err = store.Open(context.Background(), "sqlite:"+s.database); err != nil {
		return nil, err
	}
	s.raw, err = sql.Open("sqlite3", "file:"+s.database+"?_busy_timeout=10000&_txlock=immediate")
	return s, err
}

func (s *site) serve() error {
	log, err := os.Create(s.logFile)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	s.cmd = exec.Command(programPath, "serve")
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = s.environ, io.Discard, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	go func() { s.exited <- s.cmd.Wait() }()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
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
		default:
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

// stop stops the program like an operator, and fails when its log has an error. A lost connection must not be one.
func (s *site) stop() error {
	_, _ = s.db.Close(), s.raw.Close()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-s.exited:
		if err != nil {
			return fmt.Errorf("portico serve after SIGTERM: %w", err)
		}
	case <-time.After(patience):
		return fmt.Errorf("portico serve did not stop within %s of SIGTERM", patience)
	}
	var troubles []error
	for line := range strings.Lines(s.log()) {
		if strings.Contains(line, `"level":"ERROR"`) {
			troubles = append(troubles, fmt.Errorf("in the log: %s", line))
		}
	}
	return errors.Join(troubles...)
}

// kill ends the program at once, after stop has failed.
func (s *site) kill() { _ = s.cmd.Process.Kill() }

// at returns the address of a path on one of the hosts: "account", "store1001", or "" for the platform's own.
func (s *site) at(host, path string) string {
	if host != "" {
		host += "."
	}
	return "http://" + host + "localhost:" + s.port + path
}

// count reads one number from the database.
func (s *site) count(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	if err := s.raw.QueryRow(query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// change writes to the database.
func (s *site) change(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := s.raw.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// message is an SMS that the program shows in dev instead of sending it.
type message struct{ Purpose, Code, Text string }

// inbox reads the messages to a phone, the newest first.
func (s *site) inbox(t testing.TB, phone string) []message {
	t.Helper()
	answer, err := http.Get("http://127.0.0.1:" + s.port + "/dev/inbox.json?phone=" + url.QueryEscape(phone))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var all []message
	if err := json.NewDecoder(answer.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// code returns the last code that was sent to a phone, "" if there is none.
func (s *site) code(t testing.TB, phone string) string {
	t.Helper()
	for _, m := range s.inbox(t, phone) {
		if m.Code != "" {
			return m.Code
		}
	}
	return ""
}

// awaitCode waits for the first code that arrives at a phone. A request whose line was cut may still be sending it
// while the next one is answered.
func (s *site) awaitCode(t testing.TB, phone string) string {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if code := s.code(t, phone); code != "" {
			return code
		}
	}
	t.Fatalf("no code arrived at %s", phone)
	return ""
}

// english reads the English texts by key, so that a new wording breaks no test.
var english = sync.OnceValues(func() (map[string]string, error) {
	all := map[string]string{}
	for file, prefix := range map[string]string{"en": "", "errors.en": "error."} {
		text, err := os.ReadFile(testscope.File("locale/" + file + ".json"))
		messages := map[string]string{}
		if err == nil {
			err = json.Unmarshal(text, &messages)
		}
		if err != nil {
			return nil, err
		}
		for key, message := range messages {
			all[prefix+key] = message
		}
	}
	return all, nil
})

// texts returns the English texts by key.
func texts(t testing.TB) map[string]string {
	t.Helper()
	all, err := english()
	if err != nil {
		t.Fatal(err)
	}
	return all
}
