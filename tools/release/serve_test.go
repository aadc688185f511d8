package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long a program has until it serves, and until it has ended.
const patience = 60 * time.Second

// secretBegins is how every secret begins that fill makes.
const secretBegins = "c4nary"

// fill fills the settings that docs/installing.md names into the example of the settings.
func fill(t *testing.T, example []byte) []string {
	t.Helper()
	text, secret := string(example), func() string { return secretBegins + rand.Text() + rand.Text() }
	for name, value := range map[string]string{
		"PORTICO_BASE": "https://example.com", "PORTICO_SECRET": secret(),
		"PORTICO_SIGN_SECRET": secret(), "PORTICO_SMS_WEBHOOK": "https://messages.example.com/",
		"PORTICO_SMS_WEBHOOK_SECRET": secret(), "PORTICO_TRUSTED_PROXIES": "127.0.0.1/32",
	} {
		line := regexp.MustCompile(`(?m)^` + name + `=.*$`)
		if !line.MatchString(text) {
			t.Fatalf("the example has no line %s=", name)
		}
		text = line.ReplaceAllString(text, name+"="+value)
	}
	var settings []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			settings = append(settings, line)
		}
	}
	return settings
}

// serves starts a program, waits until it is ready, and stops it as systemd and containers do.
func serves(t *testing.T, command *exec.Cmd) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	command.Env = append(command.Env, "PORTICO_ADDR="+address)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	deadline := time.After(patience)
	for ready := false; !ready; {
		if answer, err := http.Get("http://" + address + "/readyz"); err == nil {
			_ = answer.Body.Close()
			ready = answer.StatusCode == http.StatusOK
		}
		select {
		case err := <-ended:
			t.Fatalf("%s has ended: %v\n%s", command, err, &said)
		case <-deadline:
			_ = command.Process.Kill()
			<-ended
			t.Fatalf("%s is not ready\n%s", command, &said)
		case <-time.After(20 * time.Millisecond):
		}
	}
	_ = command.Process.Signal(syscall.SIGTERM)
	select {
	case err = <-ended:
	case <-time.After(patience):
		_ = command.Process.Kill()
		err = fmt.Errorf("it did not stop: %w", <-ended)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", command, err, &said)
	}
	if strings.Contains(said.String(), secretBegins) {
		t.Errorf("%s wrote a secret:\n%s", command, &said)
	}
}

// TestArchiveIsInstalledAsTheDocumentSaysAndServes runs the commands for the archive in docs/installing.md, below a
// folder in place of the root folder and for the group root.
func TestArchiveIsInstalledAsTheDocumentSaysAndServes(t *testing.T) {
	text, err := os.ReadFile("../../docs/installing.md")
	if err != nil {
		t.Fatal(err)
	}
	archive, err := filepath.Abs(released(t, "portico_*_linux_"+runtime.GOARCH+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	lines := regexp.MustCompile(`(?m)^    (?:tar|cd|install) .+\n`).FindAllString(string(text), -1)
	if len(lines) < 6 {
		t.Fatalf("the document has only %d commands for the archive", len(lines))
	}
	if err := os.Symlink(archive, filepath.Join(folder, filepath.Base(archive))); err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("sh", "-euxc", strings.NewReplacer(
		"linux_amd64", "linux_"+runtime.GOARCH, " -g portico", "", " /usr/", " "+folder+"/usr/",
		" /etc/", " "+folder+"/etc/",
	).Replace(strings.Join(lines, "")))
	shell.Dir = folder
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, mode := range map[string]os.FileMode{
		"usr/bin/portico": 0o755, "usr/sbin/portico-admin": 0o755, "etc/portico/portico.env": 0o640,
		"etc/systemd/system/portico.service": 0o644,
	} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	example, err := os.ReadFile(filepath.Join(folder, "etc/portico/portico.env"))
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(folder, "var/lib/portico")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	program := exec.Command(filepath.Join(folder, "usr/bin/portico"), "serve")
	program.Dir = data
	for _, setting := range fill(t, example) {
		program.Env = append(program.Env, strings.ReplaceAll(setting, "/var/lib/portico", data))
	}
	serves(t, program)
	if info, err := os.Stat(filepath.Join(data, "portico.db")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the database: %v %v", info, err)
	}
}

// TestContainerServesAsItsOwnUser runs the entry point of the image in its own files, with the user and the settings of
// the image and those of the example. No engine for containers is needed.
func TestContainerServesAsItsOwnUser(t *testing.T) {
	needRoot(t)
	skopeo, unpacked := tool(t, "skopeo"), t.TempDir()
	image := "oci-archive:" + released(t, "portico_*_image.tar")
	output(t, skopeo, "copy", "--quiet", "--insecure-policy", "--override-os=linux", "--override-arch="+runtime.GOARCH,
		image, "dir:"+unpacked)
	var manifest struct {
		Layers []struct{ Digest string }
	}
	var config struct {
		Config struct {
			User            string
			Env, Entrypoint []string
			Cmd             []string
			Volumes         map[string]struct{}
		}
	}
	text, err := os.ReadFile(filepath.Join(unpacked, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil || len(manifest.Layers) == 0 {
		t.Fatal(manifest, err)
	}
	text = []byte(output(t, skopeo, "inspect", "--config", "--override-os=linux", "--override-arch="+runtime.GOARCH,
		image))
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, layer := range manifest.Layers {
		_, digest, _ := strings.Cut(layer.Digest, ":")
		output(t, "tar", "-xf", filepath.Join(unpacked, digest), "-C", root)
	}
	if _, err := os.Stat(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt")); err != nil {
		t.Error(err)
	}
	example, err := os.ReadFile("../../deploy/portico.env.example")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--userspec=" + config.Config.User, root}, config.Config.Entrypoint...)
	args = append(args, config.Config.Cmd...)
	command := exec.Command("chroot", args...)
	for _, setting := range fill(t, example) {
		if !strings.HasPrefix(setting, "PORTICO_ENV=") && !strings.HasPrefix(setting, "PORTICO_DATABASE=") &&
			!strings.HasPrefix(setting, "PORTICO_UPLOADS=") { // the image sets these
			command.Env = append(command.Env, setting)
		}
	}
	command.Env = append(command.Env, config.Config.Env...)
	serves(t, command)
	info, err := os.Stat(filepath.Join(root, "var/lib/portico/portico.db"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the database in the volume: %v %v", info, err)
	}
}
