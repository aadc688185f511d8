package page

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// switchedOff are the rules of html-validate that htmlvalidate.json turns off, each with the reason. JSON has no
// comments.
var switchedOff = map[string]string{
	"doctype-style":           "templ writes <!doctype html>; the case is free",
	"no-implicit-button-type": "a button without a type submits its form, and that is what these do",
	"tel-non-breaking":        "the links hold names as well; the style sheet keeps each number in one line",
}

// wantValidHTML checks the HTML of every page with html-validate.
func wantValidHTML(t *testing.T, pages []inspection) {
	t.Helper()
	node, err := exec.LookPath("node")
	program := "../../node_modules/html-validate/bin/html-validate.mjs"
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("html-validate cannot run: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, s := range pages {
		if err := os.WriteFile(filepath.Join(dir, s.name+".html"), s.source, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(node, program, "--config", "htmlvalidate.json", "--formatter", "text",
		filepath.Join(dir, "*.html")).
		CombinedOutput()
	if err != nil {
		t.Errorf("html-validate: %v\n%s", err, out)
	}
}

func TestEveryDisabledHTMLRuleHasAReason(t *testing.T) {
	text, err := os.ReadFile("htmlvalidate.json")
	if err != nil {
		t.Fatal(err)
	}
	var config struct{ Rules map[string]any }
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	for rule, setting := range config.Rules {
		if setting == "off" && switchedOff[rule] == "" {
			t.Errorf("%s is off without a reason", rule)
		}
	}
}
