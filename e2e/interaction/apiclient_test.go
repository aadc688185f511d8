package interaction

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/testscope"
)

// Runs the tests of the reference client, docs/client/live.test.ts, against a server of its own, at the API's host.
func TestReferenceClientPassesItsTestsAgainstAServer(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "it starts programs of Node, and api tests the same calls")
	if browser.Unavailable != "" {
		t.Skip(browser.Unavailable)
	}
	node, err := exec.LookPath("node")
	vitest := "node_modules/vitest/vitest.mjs"
	if err == nil {
		_, err = os.Stat(filepath.Join("../..", vitest))
	}
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("vitest cannot run: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := program.Start(browser.Normal.Command.Path, filepath.Join(dir, "site"), "on")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Kill()
	report := filepath.Join(dir, "report.json")
	cmd := exec.Command(
		node,
		vitest,
		"run",
		"docs/client/live.test.ts",
		"--reporter=default",
		"--reporter=json",
		"--outputFile="+report,
	)
	cmd.Dir = "../.."
	cmd.Env = []string{
		"PORTICO_API=http://127.0.0.1:" + s.Port,
		"PORTICO_API_HOST=api.localhost:" + s.Port,
		"NO_COLOR=1",
	}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PORTICO_") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("vitest: %v\n%s", err, out)
	}
	wantAllPassed(t, report)
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// wantAllPassed checks the report of vitest: tests that were skipped prove nothing.
func wantAllPassed(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var report struct{ NumTotalTests, NumPassedTests int }
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	if report.NumPassedTests == 0 || report.NumPassedTests != report.NumTotalTests {
		t.Errorf("%d of %d tests passed", report.NumPassedTests, report.NumTotalTests)
	}
}

// bashBlocks matches the commands in a Markdown file.
var bashBlocks = regexp.MustCompile("(?s)\n```bash\n(.*?)```")

func TestCommandsOfTheAPIPageWork(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "it starts programs of Node, and api tests the same calls")
	if browser.Unavailable != "" {
		t.Skip(browser.Unavailable)
	}
	for _, tool := range []string{"bash", "curl", "openssl"} {
		_, err := exec.LookPath(tool)
		if err != nil && os.Getenv("CI") == "" {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	script := ""
	for _, block := range bashBlocks.FindAllStringSubmatch(string(page), -1) {
		script += block[1]
	}
	shown := len(regexp.MustCompile(`(?m)^(JSON=\S+ )?call `).FindAllString(script, -1))
	cmd := exec.Command("bash", "-c", strings.ReplaceAll(script, "localhost:8080", "localhost:"+browser.Normal.Port))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	signature, answers, _ := strings.Cut(string(out), "\n")
	if len(signature) != 64 || !strings.Contains(string(page), "    "+signature+"\n") {
		t.Errorf("the first vector is signed %q", signature)
	}
	if done := strings.Count(answers, `"code":"ok"`); done == 0 || done != shown {
		t.Errorf("%d of %d calls were answered:\n%s", done, shown, answers)
	}
}
