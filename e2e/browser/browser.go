// Package browser drives real browser tabs against the built program, for tests.
package browser

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/launcher/flags"

	"portico/e2e/program"
)

// What the tests of one package share. Main sets it before they run.
var (
	// Normal runs without limits on guessing.
	Normal *program.Server
	// Limited runs with limits on guessing, and its company 1003 is disabled.
	Limited *program.Server
	// HasScripts is false if the scripts were not built: without Node.js there are none.
	HasScripts bool
	// Unavailable says why no test can run. It is "" when they can.
	Unavailable string

	chromium *rod.Browser
)

// Main runs the tests of a package and exits. It is the whole TestMain of every package of browser tests.
func Main(m *testing.M) {
	code := 1
	if err := withBrowser(func() { code = m.Run() }); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// withBrowser starts two servers and a browser, runs the tests and stops all three. At the end it checks the exit
// status and the log of both servers.
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
	_, err := os.Stat("../../assets/dist/manifest.json")
	HasScripts = err == nil
	if !HasScripts && os.Getenv("CI") != "" {
		return errors.New("the scripts are not built: npm run build")
	}
	dir, err := os.MkdirTemp("", "portico-e2e-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	err = startServers(dir)
	for _, s := range []*program.Server{Normal, Limited} {
		if s != nil {
			defer s.Kill()
		}
	}
	if err != nil {
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
	return errors.Join(Normal.Stop(), Limited.Stop())
}

// startServers builds the program and starts Normal and Limited at the same time.
func startServers(dir string) error {
	built, err := program.Build(dir)
	if err != nil {
		return err
	}
	started := make(chan error, 1)
	go func() {
		var err error
		Limited, err = program.Start(built, filepath.Join(dir, "limited"), "on")
		if err == nil {
			err = Limited.Run("company", "disable", "1003")
		}
		started <- err
	}()
	Normal, err = program.Start(built, filepath.Join(dir, "normal"), "off")
	return errors.Join(err, <-started)
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
		Normal.Kill()
		Limited.Kill()
		_ = os.RemoveAll(dir)
		os.Exit(1)
	}()
}
