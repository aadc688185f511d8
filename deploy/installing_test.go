package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portico/deploy/deploytest"
	"portico/e2e/testscope"
)

// TestCaddyCommandsOfTheInstallingDocumentWork runs the commands that docs/installing.md gives for Caddy, apart from
// the one for systemd. TestProxySamplesPassWhatPorticoNeeds serves with the file.
func TestCaddyCommandsOfTheInstallingDocumentWork(t *testing.T) {
	caddy := deploytest.Tool(t, "caddy")
	text, err := os.ReadFile(testscope.File("docs/installing.md"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "Caddyfile")
	commands := regexp.MustCompile(`(?m)^    (sed .*Caddyfile.*|caddy .*)$`).FindAllSubmatch(text, -1)
	if len(commands) != 2 {
		t.Fatalf("the document has %d commands for Caddy", len(commands))
	}
	for _, command := range commands {
		shell := exec.Command("sh", "-euc", strings.NewReplacer(
			"/usr/share/doc/portico/deploy/caddy/Caddyfile", testscope.File("deploy/caddy/Caddyfile"),
			"/etc/caddy/Caddyfile", file, "caddy validate", caddy+" validate",
		).Replace(string(command[1])))
		shell.Env = append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_DATA_HOME="+folder)
		deploytest.Run(t, shell)
	}
	made, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for want, there := range map[string]bool{
		"email you@example.com": true, "reverse_proxy 127.0.0.1:8081 {": true, "8082": false,
	} {
		if strings.Contains(string(made), want) != there {
			t.Errorf("%q is in the file: %v, want %v", want, !there, there)
		}
	}
}
