// Package dev tests make dev: each edit is served at once.
package dev

import (
	"context"
	"fmt"
	"io"
	"net/http"
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
)

// patience is how long the test waits for an edit, and for the first start, which compiles everything.
const patience = 10 * time.Minute

// checkout is a clone of the repository in which .ci/dev runs.
type checkout struct {
	t      *testing.T
	folder string
	port   int
	log    string // the file with what .ci/dev prints
}

// start runs .ci/dev until the test ends, and returns a function that ends it as Ctrl-C does.
func (c *checkout) start() (end func() error) {
	c.t.Helper()
	command := exec.Command(filepath.Join(c.folder, ".ci", "dev"))
	command.Env = append(os.Environ(), "GOWORK=off", "DEV_PORT="+strconv.Itoa(c.port),
		"DEV_PROGRAM_PORT="+strconv.Itoa(testscope.FreePort()))
	log, err := os.Create(c.log)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		c.t.Fatal(err)
	}
	end = sync.OnceValue(func() error {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGINT)
		return command.Wait()
	})
	c.t.Cleanup(func() { _ = end() })
	return end
}

// printed returns what .ci/dev has printed.
func (c *checkout) printed() string {
	text, _ := os.ReadFile(c.log)
	return string(text)
}

// page returns the sign-in page, "" while nothing answers.
func (c *checkout) page() string {
	ctx, cancel := context.WithTimeout(c.t.Context(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("http://127.0.0.1:%d/login", c.port), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Host = fmt.Sprintf("account.localhost:%d", c.port)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return ""
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return ""
	}
	return string(body)
}

// awaitPage waits until the sign-in page is as wanted.
func (c *checkout) awaitPage(what string, wanted func(page string) bool) {
	c.t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if page := c.page(); page != "" && wanted(page) {
			return
		}
	}
	c.t.Fatalf("%s did not come\n%s", what, c.printed())
}

// edit replaces a text that stands in a file.
func (c *checkout) edit(name, old, text string) {
	c.t.Helper()
	path := filepath.Join(c.folder, filepath.FromSlash(name))
	content, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(content), old) {
		c.t.Fatalf("%s has no %q: %v", name, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(content), old, text, 1)), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func TestEachEditIsServedAtOnce(t *testing.T) {
	testscope.OnlyInAll(t, "it compiles everything in a checkout of its own")
	dir := t.TempDir()
	c := &checkout{
		t: t, folder: filepath.Join(dir, "portico"), port: testscope.FreePort(), log: filepath.Join(dir, "log"),
	}
	if out, err := exec.Command("git", "clone", "-q", testscope.Root(), c.folder).CombinedOutput(); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	packages := testscope.File("node_modules")
	_, err := os.Stat(packages)
	hasScripts := err == nil
	if hasScripts {
		if err := os.Symlink(packages, filepath.Join(c.folder, "node_modules")); err != nil {
			t.Fatal(err)
		}
	}
	has := func(text string) func(string) bool {
		return func(page string) bool { return strings.Contains(page, text) }
	}
	end := c.start()
	c.awaitPage("the first page", has("/_templ/reload/script.js"))

	c.edit("locale/zh.json", `"login.heading": "登录"`, `"login.heading": "改过的标题"`)
	c.awaitPage("a text", has("改过的标题"))
	c.edit("assets/css/base.css", ":root", ":root { --edited: 7px } :root")
	c.awaitPage("a style", has("--edited:7px"))
	const template = "pages/signin/login.templ"
	c.edit(template, "<h1>", `<h1 data-edited="html">`)
	c.awaitPage("the HTML of a template", has(`data-edited="html"`))
	c.edit(template, `data-edited="html"`, `data-edited={ "go" + "es" }`)
	c.awaitPage("the Go code of a template", has(`data-edited="goes"`))
	if hasScripts {
		c.awaitPage("the first script", has("/assets/index-"))
		before := c.page()
		c.edit("islands/index.ts", "import", "console.info('edited');\nimport")
		c.awaitPage("a script", func(page string) bool { return !sameScript(before, page) })
	}

	if err := end(); err != nil {
		t.Errorf("%v\n%s", err, c.printed())
	}
	if page := c.page(); page != "" {
		t.Error("it serves after its end")
	}
}

// sameScript reports whether two pages load the same entry point of the scripts.
func sameScript(a, b string) bool {
	script := func(page string) string {
		_, rest, _ := strings.Cut(page, "/assets/index-")
		name, _, _ := strings.Cut(rest, ".js")
		return name
	}
	return script(a) == script(b)
}
