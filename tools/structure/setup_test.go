package structure

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runSetup runs .ci/setup as root of a machine with apt and Go. Both commands are fakes that note how they are called.
// It returns what the script printed, the notes, and whether the script succeeded.
func runSetup(t *testing.T, setting, answer string, tools ...string) (printed, notes string, ok bool) {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "notes")
	for name, command := range map[string]string{
		"apt-get": `echo apt-get "$@" >>'` + file + `'`, "go": `echo go "$@" >>'` + file + `'`, "id": "echo 0",
	} {
		script := "#!/bin/sh\n" + command + "\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cat, err := exec.LookPath("cat")
	if err == nil {
		err = os.Symlink(cat, filepath.Join(folder, "cat"))
	}
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("bash", append([]string{".ci/setup"}, tools...)...)
	command.Env = []string{"PATH=" + folder, "HOME=" + folder, "XDG_CACHE_HOME=" + folder, "PORTICO_SETUP=" + setting}
	command.Stdin = strings.NewReader(answer)
	out, err := command.CombinedOutput()
	noted, _ := os.ReadFile(file) // absent when nothing was called
	return string(out), string(noted), err == nil
}

func TestSetupAsksBeforeItInstalls(t *testing.T) {
	const question = "Install them? [y/N]"
	for name, c := range map[string]struct {
		setting, answer string
		asks, installs  bool
	}{
		"no terminal":       {"", "", false, true},
		"the answer is yes": {"ask", "y\n", true, true},
		"the answer is no":  {"ask", "n\n", true, false},
		"there is none":     {"ask", "", true, false},
		"yes beforehand":    {"yes", "n\n", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			printed, notes, ok := runSetup(t, c.setting, c.answer, "golangci")
			if strings.Contains(printed, question) != c.asks || strings.HasPrefix(notes, "go install ") != c.installs ||
				ok != c.installs {
				t.Errorf("%v, it called %q and printed\n%s", ok, notes, printed)
			}
		})
	}
	if printed, _, ok := runSetup(t, "ask", "n\n", "go"); !ok || printed != "" {
		t.Errorf("nothing is missing, and it printed\n%s", printed)
	}
}

func TestSetupAsksOnceForAllAndSaysWhatToDoByHand(t *testing.T) {
	printed, notes, ok := runSetup(t, "ask", "n\n", "lintian", "skopeo", "golangci", "node")
	if ok || notes != "" || strings.Count(printed, "[y/N]") != 1 {
		t.Errorf("%v, it called %q", ok, notes)
	}
	for _, want := range []string{
		"packages of Debian: skopeo lintian\n", ": golangci-lint\n", "for you to install: Node.js",
		"apt-get install --no-install-recommends skopeo lintian\n", "PORTICO_SETUP=yes .ci/setup golangci\n",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("it does not print %q", want)
		}
	}
	if t.Failed() {
		t.Log(printed)
	}
}
