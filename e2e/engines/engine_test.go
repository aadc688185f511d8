package engines

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/cdp"

	"portico/e2e/program"
	"portico/e2e/testscope"
)

// engine is a browser that opens pages in a window of a size.
type engine interface {
	// Open opens a page and waits for it.
	Open(address string) error
	// Run runs the body of a script function on the page. The function returns a text.
	Run(body string) (string, error)
	// Type presses keys; they go to the control that has the focus.
	Type(text string) error
}

// engines start a browser with a window of a width and a height. Without the browser they return nil.
var engines = map[string]func(t *testing.T, width, height int) engine{"WebKit": startWebKit, "Firefox": startFirefox}

// start starts a program that ends with the test.
func start(t *testing.T, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
}

// until tries something again until it works or program.Patience has passed.
func until(t *testing.T, what string, try func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(program.Patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}

// display is the number of the last X display. Each browser has one of its own.
var display = 100 + os.Getpid()%800

// webKit is WebKitGTK, driven by the WebDriver protocol.
type webKit struct{ session string }

func startWebKit(t *testing.T, width, height int) engine {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/*/webkit2gtk-*/MiniBrowser")
	if _, err := exec.LookPath("WebKitWebDriver"); err != nil || len(found) == 0 {
		return nil
	}
	display++
	t.Setenv("DISPLAY", ":"+strconv.Itoa(display))
	start(t, "Xvfb", os.Getenv("DISPLAY"), "-screen", "0", "1400x1200x24")
	port := strconv.Itoa(testscope.FreePort())
	start(t, "WebKitWebDriver", "--port="+port, "--host=127.0.0.1")
	w := &webKit{}
	var made struct{ SessionID string }
	until(t, "start WebKit", func() error {
		return w.call(http.MethodPost, "http://127.0.0.1:"+port+"/session", map[string]any{
			"capabilities": map[string]any{"alwaysMatch": map[string]any{
				"browserName":              "MiniBrowser",
				"webkitgtk:browserOptions": map[string]any{"binary": found[0], "args": []string{"--automation"}},
			}},
		}, &made)
	})
	w.session = "http://127.0.0.1:" + port + "/session/" + made.SessionID
	t.Cleanup(func() { _ = w.call(http.MethodDelete, w.session, nil, nil) })
	size := map[string]int{"width": width, "height": height}
	if err := w.call(http.MethodPost, w.session+"/window/rect", size, nil); err != nil {
		t.Fatal(err)
	}
	return w
}

// call calls the driver and reads the value of its answer.
func (w *webKit) call(method, address string, in, value any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	var out struct{ Value json.RawMessage }
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", answer.Status, out.Value)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(out.Value, value)
}

func (w *webKit) Open(address string) error {
	return w.call(http.MethodPost, w.session+"/url", map[string]string{"url": address}, nil)
}

func (w *webKit) Run(body string) (text string, err error) {
	in := map[string]any{"script": body, "args": []any{}}
	return text, w.call(http.MethodPost, w.session+"/execute/sync", in, &text)
}

func (w *webKit) Type(text string) error {
	var keys []map[string]string
	for _, r := range text {
		keys = append(keys, map[string]string{"type": "keyDown", "value": string(r)},
			map[string]string{"type": "keyUp", "value": string(r)})
	}
	return w.call(http.MethodPost, w.session+"/actions", map[string]any{
		"actions": []any{map[string]any{"type": "key", "id": "keyboard", "actions": keys}},
	}, nil)
}

// firefox is Firefox, driven by the WebDriver BiDi protocol.
type firefox struct {
	socket *cdp.WebSocket
	tab    string
	last   int
}

func startFirefox(t *testing.T, width, height int) engine {
	t.Helper()
	path, err := exec.LookPath("firefox-esr")
	if err != nil {
		return nil
	}
	port := strconv.Itoa(testscope.FreePort())
	start(t, path, "--headless", "--remote-debugging-port="+port, "--profile", t.TempDir(),
		"--width", strconv.Itoa(width), "--height", strconv.Itoa(height), "about:blank")
	f := &firefox{socket: &cdp.WebSocket{}}
	until(t, "start Firefox", func() error {
		return f.socket.Connect(context.Background(), "ws://127.0.0.1:"+port+"/session", nil)
	})
	t.Cleanup(func() { _ = f.socket.Close() })
	var tabs struct{ Contexts []struct{ Context string } }
	for _, step := range []struct {
		method string
		params any
		value  any
	}{
		{"session.new", map[string]any{"capabilities": map[string]any{}}, nil},
		{"browsingContext.getTree", map[string]any{}, &tabs},
	} {
		if err := f.call(step.method, step.params, step.value); err != nil {
			t.Fatal(err)
		}
	}
	f.tab = tabs.Contexts[0].Context
	size := map[string]any{"context": f.tab, "viewport": map[string]int{"width": width, "height": height}}
	if err := f.call("browsingContext.setViewport", size, nil); err != nil {
		t.Fatal(err)
	}
	return f
}

// call sends a command and reads its result. It skips events.
func (f *firefox) call(method string, params, value any) error {
	f.last++
	command, err := json.Marshal(map[string]any{"id": f.last, "method": method, "params": params})
	if err != nil {
		return err
	}
	if err := f.socket.Send(command); err != nil {
		return err
	}
	for {
		data, err := f.socket.Read()
		if err != nil {
			return err
		}
		var answer struct {
			ID             int
			Type           string
			Error, Message string
			Result         json.RawMessage
		}
		if err := json.Unmarshal(data, &answer); err != nil {
			return err
		}
		switch {
		case answer.ID != f.last:
			continue
		case answer.Type == "error":
			return fmt.Errorf("%s: %s: %s", method, answer.Error, answer.Message)
		case value == nil:
			return nil
		}
		return json.Unmarshal(answer.Result, value)
	}
}

func (f *firefox) Open(address string) error {
	return f.call("browsingContext.navigate",
		map[string]string{"context": f.tab, "url": address, "wait": "complete"}, nil)
}

func (f *firefox) Run(body string) (string, error) {
	var out struct {
		Type             string
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	err := f.call("script.evaluate", map[string]any{
		"expression": "(() => {" + body + "})()", "target": map[string]string{"context": f.tab}, "awaitPromise": false,
	}, &out)
	if err == nil && out.Type != "success" {
		err = fmt.Errorf("%s: %s", body, out.ExceptionDetails.Text)
	}
	return out.Result.Value, err
}

func (f *firefox) Type(text string) error {
	var keys []map[string]string
	for _, r := range text {
		keys = append(keys, map[string]string{"type": "keyDown", "value": string(r)},
			map[string]string{"type": "keyUp", "value": string(r)})
	}
	return f.call("input.performActions", map[string]any{
		"context": f.tab, "actions": []any{map[string]any{"type": "key", "id": "keyboard", "actions": keys}},
	}, nil)
}
