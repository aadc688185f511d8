package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionIsOneLine(t *testing.T) {
	const revision = "602a33f9e0c1d8b7a6f5"
	for want, c := range map[string]struct {
		version  string
		settings []debug.BuildSetting
	}{
		"portico dev, commit unknown of unknown": {},
		"portico v1.2.0, commit 602a33f9e0c1 of 2026-11-22": {"v1.2.0", []debug.BuildSetting{
			{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: "2026-11-22T20:01:02Z"},
			{Key: "vcs.modified", Value: "false"},
		}},
		"portico dev, commit 602a33f9e0c1+changes of 2026-11-22": {"", []debug.BuildSetting{
			{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: "2026-11-22T20:01:02Z"},
			{Key: "vcs.modified", Value: "true"},
		}},
	} {
		if got := buildOf(c.version, c.settings).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The command of the Makefile, in a repository with and without a tag: the go command stamps the commit, the linker the
// tag.
func TestMakefileSetsTagAndCommit(t *testing.T) {
	source, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GOFLAGS=", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for _, name := range []string{"version.go", "Makefile"} {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, string(text))
	}
	write("main.go", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(readBuild()) }\n")
	write("go.mod", "module portico\n\ngo 1.26\n")
	write(".gitignore", "bin/\n")
	run("git", "init", "-q")
	run("git", "add", "-A")
	run("git", "commit", "-qm", "first")
	commit := run("git", "rev-parse", "HEAD")[:12]
	build := func() string {
		t.Helper()
		lines := strings.Split(run("make", "-n", "-o", "go", "-o", "scripts", "-o", "templates", "build"), "\n")
		run("bash", "-c", lines[len(lines)-1])
		return run("./bin/portico")
	}
	day := `\d{4}-\d\d-\d\d`
	for _, c := range []struct{ tag, change, want string }{
		{"", "", `^portico dev, commit ` + commit + ` of ` + day + `$`},
		{"v1.2.0", "", `^portico v1\.2\.0, commit ` + commit + ` of ` + day + `$`},
		{"", "changed", `^portico v1\.2\.0-dirty, commit ` + commit + `\+changes of ` + day + `$`},
	} {
		if c.tag != "" {
			run("git", "tag", c.tag)
		}
		if c.change != "" {
			write("go.mod", "module portico // changed\n\ngo 1.26\n")
		}
		if got := build(); !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%q, want %s", got, c.want)
		}
	}
	if got := run("go", "run", "."); !strings.HasPrefix(got, "portico dev, commit ") {
		t.Errorf("go run: %q", got)
	}
}
