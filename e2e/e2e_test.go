// Package e2e drives the built program with a real browser, as people do: every flow once with scripts and
// once without.
package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/launcher/flags"
)

const (
	password     = "Demo2026" // of every demo phone and account
	newPassword  = "Blauwal77"
	supportName  = "服务台"
	supportPhone = "4008001234"

	// patience is how long a test waits for anything before it fails. It is the only limit on waiting, and far above what
	// an idle machine needs, because the tests also run beside other work.
	patience = time.Minute
)

var (
	chromium *rod.Browser
	scripted bool // the scripts were built: without Node.js there are none
	normal   *site
	limited  *site  // the same with its guessing limits on
	absent   string // why no test can run, "" when they can
)

func TestMain(m *testing.M) {
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
	besides := make(chan error, 1)
	go func() {
		var err error
		if limited, err = start(program, filepath.Join(dir, "limited"), "on"); err == nil {
			err = limited.manage("company", "disable", "1003")
		}
		besides <- err
	}()
	normal, err = start(program, filepath.Join(dir, "normal"), "off")
	err = errors.Join(err, <-besides)
	for _, s := range []*site{normal, limited} {
		if s != nil {
			defer s.kill()
		}
	}
	if err != nil {
		return err
	}
	browser := launcherIn(path, dir)
	address, err := browser.Launch()
	if err != nil {
		return fmt.Errorf("start Chromium: %w", err)
	}
	defer func() {
		late := time.AfterFunc(patience, browser.Kill)
		browser.Cleanup() // waits for its end
		late.Stop()
	}()
	chromium = rod.New().ControlURL(address).NoDefaultDevice()
	if err := chromium.Connect(); err != nil {
		browser.Kill()
		return fmt.Errorf("reach Chromium: %w", err)
	}
	stopOnSignal(dir)
	run()
	_ = chromium.Close()
	return errors.Join(normal.stop(), limited.stop())
}

// launcherIn launches the browser at a path, with all its files in a folder.
func launcherIn(path, dir string) *launcher.Launcher {
	l := launcher.New().Bin(path).NoSandbox(true).Leakless(true).UserDataDir(filepath.Join(dir, "profile"))
	for _, name := range []flags.Flag{"disable-gpu", "disable-quic", "disable-component-update"} {
		l.Set(name) // launcher.New sets the others
	}
	return l.Env(append(os.Environ(), "TMPDIR="+dir)...)
}

// stopOnSignal takes the servers and their folder along when the tests are ended early; the browser goes by
// itself.
func stopOnSignal(dir string) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	go func() {
		fmt.Fprintln(os.Stderr, "e2e:", <-ended)
		_ = normal.cmd.Process.Kill()
		_ = limited.cmd.Process.Kill()
		_ = os.RemoveAll(dir)
		os.Exit(1)
	}()
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
