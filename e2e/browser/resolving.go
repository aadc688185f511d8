package browser

import (
	"os"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
)

// NewBrowserWithTestHosts starts a browser that resolves every host below .test to this machine.
func NewBrowserWithTestHosts(t *testing.T) *rod.Browser {
	t.Helper()
	return NewBrowserResolving(t, "MAP *.test 127.0.0.1")
}

// NewBrowserResolving starts a browser that resolves hosts by rules, as --host-resolver-rules has them, and accepts
// every certificate.
func NewBrowserResolving(t *testing.T, rules string) *rod.Browser {
	t.Helper()
	NeedBrowser(t)
	path, _ := launcher.LookPath()
	dir, err := os.MkdirTemp("", "portico-e2e-") // short, because the browser makes sockets there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l := LauncherIn(path, dir).Set("host-resolver-rules", rules).Set("ignore-certificate-errors")
	address, err := l.Launch()
	if err != nil {
		t.Fatal(err)
	}
	browser := rod.New().ControlURL(address).NoDefaultDevice()
	if err := browser.Connect(); err != nil {
		l.Kill()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = browser.Close()
		l.Cleanup()
	})
	return browser
}
