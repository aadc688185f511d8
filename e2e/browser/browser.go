// Package browser drives real browser tabs against the built program, for tests.
package browser

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/launcher/flags"

	"portico/e2e/program"
	"portico/e2e/testscope"
)

// What the tests of one package share. Main sets it before they run.
var (
	// Normal runs without limits on guessing.
	Normal *program.Server
	// HasScripts is false if the scripts were not built: without Node.js there are none.
	HasScripts bool
	// Unavailable says why no test can run. It is "" when they can.
	Unavailable string

	chromium *rod.Browser
	servers  serverStarter
)

// Limited returns the server with limits on guessing, whose company 1003 is disabled. The first call starts it.
func Limited(t testing.TB) *program.Server {
	t.Helper()
	s, err := servers.limited()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serverStarter starts the servers of a package from one program, and ends those that it has started.
type serverStarter struct {
	program, dir string

	mu      sync.Mutex
	started []*program.Server
	second  *program.Server // Limited
}

// start starts a server in a folder of its name. limits is the value of PORTICO_LIMITS.
func (f *serverStarter) start(name, limits string) (*program.Server, error) {
	s, err := program.Start(f.program, filepath.Join(f.dir, name), limits)
	if s != nil {
		f.started = append(f.started, s)
	}
	return s, err
}

// limited returns Limited, and starts it at the first call.
func (f *serverStarter) limited() (*program.Server, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.second != nil {
		return f.second, nil
	}
	s, err := f.start("limited", "on")
	if err == nil {
		err = s.Run("company", "disable", "1003")
	}
	if err == nil {
		f.second = s
	}
	return s, err
}

// each calls do with every server that was started, and returns the errors.
func (f *serverStarter) each(do func(s *program.Server) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, s := range f.started {
		errs = append(errs, do(s))
	}
	return errors.Join(errs...)
}

// kill kills every server that was started.
func (f *serverStarter) kill() {
	_ = f.each(func(s *program.Server) error { s.Kill(); return nil })
}

// Main runs the tests of a package and exits. It is the whole TestMain of every package of browser tests.
func Main(m *testing.M) {
	code := 1
	if err := withBrowser(func() { code = m.Run() }); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// withBrowser starts a server and a browser, runs the tests and stops what was started. At the end it checks the exit
// status and the log of the servers.
func withBrowser(run func()) error {
	path, found := launcher.LookPath()
	if !found {
		if os.Getenv("CI") != "" {
			return errors.New("no Chromium or Chrome found")
		}
		Unavailable = "no Chromium or Chrome found: the browser tests need one"
		run()
		return nil
	}
	_, err := os.Stat(testscope.File("assets/dist/manifest.json"))
	HasScripts = err == nil
	if !HasScripts && os.Getenv("CI") != "" {
		return errors.New("the scripts are not built: npm run build")
	}
	dir, err := os.MkdirTemp("", "portico-e2e-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	built, err := program.Build(dir)
	if err != nil {
		return err
	}
	servers.program, servers.dir = built, dir
	defer servers.kill()
	if Normal, err = servers.start("normal", "off"); err != nil {
		return err
	}
	stop, err := startChromium(path, dir)
	if err != nil {
		return err
	}
	defer stop()
	stopOnSignal(dir)
	run()
	_ = chromium.Close()
	return servers.each((*program.Server).Stop)
}

// startChromium starts the browser at a path. stop ends it.
func startChromium(path, dir string) (stop func(), err error) {
	browser := LauncherIn(path, dir)
	address, err := browser.Launch()
	if err != nil {
		return nil, fmt.Errorf("start Chromium: %w", err)
	}
	stop = func() {
		late := time.AfterFunc(program.Patience, browser.Kill)
		browser.Cleanup() // waits until the browser has ended
		late.Stop()
	}
	chromium = rod.New().ControlURL(address).NoDefaultDevice()
	if err := chromium.Connect(); err != nil {
		browser.Kill()
		stop()
		return nil, fmt.Errorf("connect to Chromium: %w", err)
	}
	return stop, nil
}

// LauncherIn prepares to launch the browser at a path, with all its files in a folder.
func LauncherIn(path, dir string) *launcher.Launcher {
	l := launcher.New().Bin(path).NoSandbox(true).Leakless(true).UserDataDir(filepath.Join(dir, "profile"))
	for _, name := range []flags.Flag{"disable-gpu", "disable-quic", "disable-component-update"} {
		l.Set(name) // launcher.New sets the others
	}
	l.Set("accept-lang", "zh-CN")
	return l.Env(append(os.Environ(), "TMPDIR="+dir)...)
}

// stopOnSignal kills the servers and removes their folder when the tests are interrupted. The browser ends by itself.
func stopOnSignal(dir string) {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		fmt.Fprintln(os.Stderr, "e2e:", <-interrupted)
		servers.kill()
		_ = os.RemoveAll(dir)
		os.Exit(1)
	}()
}
