package config

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const exampleFile = "../deploy/portico.env.example"

// exampleFirst are the settings that a small platform needs in production, with their values. The operator fills in
// those whose value is "".
var exampleFirst = []struct{ name, value string }{
	{"PORTICO_ENV", "production"},
	{"PORTICO_BASE", ""},
	{"PORTICO_DATABASE", "sqlite:/var/lib/portico/portico.db"},
	{"PORTICO_UPLOADS", "dir:/var/lib/portico/uploads"},
	{"PORTICO_SECRET", ""},
	{"PORTICO_SIGN_SECRET", ""},
	{"PORTICO_SMS", "webhook"},
	{"PORTICO_SMS_WEBHOOK", ""},
	{"PORTICO_SMS_WEBHOOK_SECRET", ""},
	{"PORTICO_TRUSTED_PROXIES", ""},
}

// TestExampleFileNamesEverySetting compares the example with the settings. PORTICO_WRITE_DOCS=1 writes it.
func TestExampleFileNamesEverySetting(t *testing.T) {
	want := exampleText()
	if os.Getenv("PORTICO_WRITE_DOCS") != "" {
		if err := os.WriteFile(exampleFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(exampleFile)
	if err != nil || string(got) != want {
		t.Errorf("%s is stale: run PORTICO_WRITE_DOCS=1 go test ./config -run ExampleFile (%v)", exampleFile, err)
	}
	var given []string
	for line := range strings.Lines(want) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			given = append(given, line)
		}
	}
	if len(given) != len(exampleFirst) {
		t.Errorf("%d settings are set, want %d", len(given), len(exampleFirst))
	}
}

func exampleText() string {
	var text strings.Builder
	text.WriteString(
		"# The settings of Portico. Fill in the six that are empty; make each secret with: openssl rand -base64 32\n" +
			"# portico doctor says what is missing, and portico config what is in force.\n" +
			"# Each setting with a secret may be a file instead: PORTICO_SECRET_FILE=/run/secrets/portico\n\n",
	)
	isFirst := map[string]bool{}
	bySetting := map[string]Setting{}
	for _, s := range Settings() {
		bySetting[s.Name] = s
	}
	for _, s := range exampleFirst {
		isFirst[s.name] = true
		fmt.Fprintf(&text, "%s%s=%s\n\n", comment(bySetting[s.name].Meaning), s.name, s.value)
	}
	text.WriteString("# All others have a default.\n\n")
	for _, s := range settings() {
		if !isFirst[s.name] {
			text.WriteString(comment(s.meaning))
			if s.shown != "" {
				text.WriteString(comment("Default: " + s.shown))
			}
			fmt.Fprintf(&text, "# %s=%s\n\n", s.name, s.fallback)
		}
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// comment breaks a sentence into lines of comments of at most 100 characters.
func comment(sentence string) string {
	const width = 98
	var lines []string
	line := ""
	for _, word := range strings.Fields(sentence) {
		if len([]rune(line))+1+len([]rune(word)) > width && line != "" {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return "# " + strings.Join(append(lines, line), "\n# ") + "\n"
}
