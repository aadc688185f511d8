package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"portico/e2e/testscope"
)

func TestVersionIsOneLine(t *testing.T) {
	declared := "portico " + strings.TrimSpace(released)
	settings := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{
			{Key: "vcs.revision", Value: "602a33f9e0c1d8b7a6f5"}, {Key: "vcs.time", Value: "2026-11-22T20:01:02Z"},
			{Key: "vcs.modified", Value: modified},
		}
	}
	const untagged, later = "v0.0.0-20261122200102-602a33f9e0c1", "v1.2.1-0.20261122200102-602a33f9e0c1"
	for _, c := range []struct {
		linked, stamped string
		settings        []debug.BuildSetting
		want            string
	}{
		{"", "", nil, declared + ", commit unknown of unknown"},
		{"", "(devel)", nil, declared + ", commit unknown of unknown"},
		{"", untagged, settings("false"), declared + ", commit 602a33f9e0c1 of 2026-11-22"},
		{"", untagged + "+dirty", settings("true"), declared + ", commit 602a33f9e0c1+changes of 2026-11-22"},
		{"", later, settings("false"), "portico " + later[1:] + ", commit 602a33f9e0c1 of 2026-11-22"},
		{"1.2.0-1-g602a33f", later, settings("false"), "portico 1.2.0-1-g602a33f, commit 602a33f9e0c1 of 2026-11-22"},
	} {
		if got := buildOf(c.linked, c.stamped, c.settings).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The command of the Makefile, in a repository with and without a tag: the go command stamps the commit, the linker the
// tag and the number of commits since. Only without a tag does VERSION count.
func TestMakefileSetsTagAndCommit(t *testing.T) {
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
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GOFLAGS=", "GOWORK=off", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if err := os.Mkdir(filepath.Join(dir, "command"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"command/version.go", "Makefile"} {
		text, err := os.ReadFile(testscope.File(name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, string(text))
	}
	write("command/main.go", "package command\n\nimport \"fmt\"\n\nfunc Main() { fmt.Println(readBuild()) }\n")
	write("main.go", "package main\n\nimport \"portico/command\"\n\nfunc main() { command.Main() }\n")
	write("command/VERSION", "1.1.0\n")
	write("go.mod", "module portico\n\ngo 1.26\n")
	write(".gitignore", "bin/\n")
	run("git", "init", "-q")
	run("git", "add", "-A")
	run("git", "commit", "-qm", "first")
	build := func() string {
		t.Helper()
		lines := strings.Split(run("make", "-n", "-o", "go", "-o", "scripts", "-o", "templates", "build"), "\n")
		run("bash", "-c", lines[len(lines)-1])
		return run("./bin/portico")
	}
	const of = `, commit COMMIT of \d{4}-\d\d-\d\d$`
	check := func(got, want string) {
		t.Helper()
		want = strings.ReplaceAll(want, "COMMIT", run("git", "rev-parse", "HEAD")[:12])
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%q, want %s", got, want)
		}
	}
	check(build(), `^portico 1\.1\.0`+of)
	run("git", "tag", "v1.2.0")
	check(build(), `^portico 1\.2\.0`+of)
	write(".gitignore", "bin/\ndist/\n")
	check(build(), `^portico 1\.2\.0-dirty`+strings.Replace(of, "COMMIT", `COMMIT\+changes`, 1))
	run("git", "commit", "-qam", "second")
	check(build(), `^portico 1\.2\.0-1-g[0-9a-f]+`+of)
	run("go", "build", "-buildvcs=auto", "-o", "bin/portico", ".")
	check(run("./bin/portico"), `^portico 1\.2\.1-0\.\d{14}-[0-9a-f]{12}`+of)
	check(run("go", "run", "."), `^portico 1\.1\.0, commit `)
}
