// Package debian tests the Debian package on a fresh Debian 12. It needs what `make release` wrote to dist/, root, and
// Debian's mirror; `make release-test` runs it.
package debian

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"portico/deploy/deploytest"
	"portico/e2e/testscope"
)

// inside names the folder of the fresh Debian, in the environment of the test that runs in a network of its own.
const inside = "TEST_FRESH_DEBIAN"

// publicAddress is the address that the platform's hosts lead to. It is not among the trusted proxies.
const publicAddress = "203.0.113.10"

// asFresh has the packages that come with Debian's installer and that the commands of the document use. nginx is only
// downloaded, because the network of the test leads nowhere.
const (
	asFresh    = "ca-certificates,curl,init-system-helpers,openssl"
	downloaded = "nginx"
)

func TestFreshDebianServesACompanyOverTLS(t *testing.T) {
	if os.Getenv(inside) != "" {
		serveACompany(t, os.Getenv(inside))
		return
	}
	if os.Getuid() != 0 && os.Getenv("CI") != "" {
		t.Fatal("root is needed under CI")
	}
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	mmdebstrap := deploytest.Tool(t, "mmdebstrap")
	release, err := filepath.Glob(testscope.File("dist/*"))
	if err != nil || len(release) == 0 {
		t.Fatal("dist/ is empty: run make release first")
	}
	began := time.Now()
	root := filepath.Join(t.TempDir(), "debian")
	download := `chroot "$1" apt-get -qq install -y -o APT::Install-Recommends=true --download-only ` + downloaded
	run(t, exec.Command(mmdebstrap, "--quiet", "--variant=apt", "--include="+asFresh, "--skip=cleanup/apt",
		"--customize-hook="+download, "bookworm", root))
	t.Logf("Debian was ready after %s", time.Since(began).Round(time.Second))
	folder := filepath.Join(root, "root")
	run(t, exec.Command("cp", append(release, folder)...))
	// The test goes on in a network of its own, where the ports 80 and 443 are free, and with mounts of its own.
	again := exec.Command("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", os.Args[0],
		"-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=10m")
	again.Env = append(os.Environ(), inside+"="+root)
	out, err := again.CombinedOutput()
	t.Logf("in the fresh Debian:\n%s", out)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("all was done after %s", time.Since(began).Round(time.Second))
}

func run(t *testing.T, command *exec.Cmd) string {
	t.Helper()
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// serveACompany follows docs/installing.md in a fresh Debian, and then registers a company through nginx.
func serveACompany(t *testing.T, root string) {
	run(t, exec.Command("ip", "link", "set", "lo", "up"))
	run(t, exec.Command("ip", "address", "add", publicAddress+"/32", "dev", "lo"))
	run(t, exec.Command("mount", "-t", "proc", "proc", filepath.Join(root, "proc")))
	run(t, exec.Command("mount", "--rbind", "/dev", filepath.Join(root, "dev")))
	platform := deploytest.NewPlatform(t, "")
	certificate := deploytest.NewCertificate(t, t.TempDir())
	for from, to := range map[string]string{
		certificate.CertificateFile: "etc/letsencrypt/live/" + deploytest.Host + "/fullchain.pem",
		certificate.KeyFile:         "etc/letsencrypt/live/" + deploytest.Host + "/privkey.pem",
	} {
		run(t, exec.Command("install", "-D", "-m", "0600", from, filepath.Join(root, to)))
	}
	// The operator's browser and curl trust the certificate, as they trust that of a public authority.
	run(t, exec.Command("cp", certificate.CertificateFile,
		filepath.Join(root, "usr/local/share/ca-certificates/test.crt")))
	run(t, exec.Command("chroot", root, "update-ca-certificates"))
	write(t, root, "etc/hosts", "127.0.0.1 localhost\n"+
		publicAddress+" "+deploytest.Host+" account."+deploytest.Host+"\n", 0o644)
	write(t, root, "usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755)
	write(t, root, "usr/local/bin/systemctl", systemctl, 0o755)
	t.Cleanup(func() {
		if t.Failed() {
			journal, _ := os.ReadFile(filepath.Join(root, "var/log/journal-portico"))
			t.Logf("the service wrote:\n%s", journal)
		}
	})
	followDocument(t, root, platform)

	front := deploytest.At(443)
	front.Roots = certificate.Roots
	person := front.NewPerson()
	if err := person.Register(t.Context(), platform.Messages); err != nil {
		t.Fatal(err)
	}
	person.Forget()
	arrived, err := person.SignIn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s registered and signed in; the first page was %s", person.Company, arrived)
	checkInstalled(t, root, person.Company)
	checkBackup(t, root)
	checkUpgradeAndPurge(t, root)
}

// checkBackup runs the command of portico-backup.service as systemd reads it: $$ and %% are $ and %. portico-admin
// gives it the user and the settings.
func checkBackup(t *testing.T, root string) {
	t.Helper()
	unit, err := os.ReadFile(filepath.Join(root, "lib/systemd/system/portico-backup.service"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?ms)^ExecStart=/bin/sh -c '(.*?)'$`).FindSubmatch(unit)
	if m == nil {
		t.Fatalf("portico-backup.service has no such command:\n%s", unit)
	}
	command := strings.NewReplacer(
		"$$", "$", "%%", "%", "exec ", "", "/usr/bin/portico ", "portico-admin ",
	).Replace(string(m[1]))
	folder := "/var/lib/portico/backups"
	run(t, exec.Command("chroot", root, "install", "-d", "-o", "portico", folder))
	run(t, exec.Command("chroot", root, "sh", "-c", command))
	files, err := filepath.Glob(filepath.Join(root, folder, "portico-*.backup"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", files[0], info, err)
	}
}

func write(t *testing.T, root, name, text string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// commandsIn finds the blocks of a document that are to be run.
var commandsIn = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// followDocument runs every block of docs/installing.md in one shell, as somebody who reads it does: with the domain
// and the SMS provider replaced by those of the test, and nothing else.
func followDocument(t *testing.T, root string, platform *deploytest.Platform) {
	t.Helper()
	text, err := os.ReadFile(testscope.File("docs/installing.md"))
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, block := range commandsIn.FindAllSubmatch(text, -1) {
		script.Write(block[1])
	}
	if n := strings.Count(script.String(), "\n"); n < 15 {
		t.Fatalf("only %d commands were found", n)
	}
	commands := strings.NewReplacer(
		"https://messages.example.com/send", platform.Settings["PORTICO_SMS_WEBHOOK"],
		"s/example\\.com/example.com/g", "s/example\\.com/"+deploytest.Host+"/g",
		"example.com", deploytest.Host,
	).Replace(script.String())
	shell := exec.Command("chroot", root, "sh", "-eux")
	shell.Dir = root
	shell.Env = []string{
		"PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C",
	}
	shell.Stdin = strings.NewReader("cd /root\n" + commands)
	file, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	// A file and no pipe: the service goes on writing when the shell has ended.
	shell.Stdout, shell.Stderr = file, file
	err = shell.Run()
	out, _ := os.ReadFile(file.Name())
	t.Logf("the commands of docs/installing.md:\n%s", out)
	if err != nil {
		t.Fatal(err)
	}
	if secret := regexp.MustCompile(`(?m)^PORTICO_SECRET=.+`); secret.Match(out) {
		t.Error("portico-admin config printed the master key")
	}
}

// checkInstalled looks at what only the machine itself shows.
func checkInstalled(t *testing.T, root, company string) {
	t.Helper()
	for path, want := range map[string]string{
		"/etc/portico/portico.env": "640 root:portico", "/var/lib/portico": "700 portico:portico",
		"/var/lib/portico/portico.db": "600 portico:portico",
	} {
		got := run(t, exec.Command("chroot", root, "stat", "-c", "%a %U:%G", path))
		if strings.TrimSpace(got) != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	list := run(t, exec.Command("chroot", root, "portico-admin", "company", "list"))
	if !strings.Contains(list, company) {
		t.Errorf("portico-admin does not list %q:\n%s", company, list)
	}
	out, err := exec.Command("chroot", root, "setpriv", "--reuid=nobody", "--clear-groups", "portico-admin",
		"config").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("use sudo")) {
		t.Errorf("portico-admin as nobody: %v\n%s", err, out)
	}
}

// checkUpgradeAndPurge installs the package again over changed settings, and then removes it.
func checkUpgradeAndPurge(t *testing.T, root string) {
	t.Helper()
	settings := filepath.Join(root, "etc/portico/portico.env")
	before, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	packages, err := filepath.Glob(filepath.Join(root, "root/portico_*_"+runtime.GOARCH+".deb"))
	if err != nil || len(packages) != 1 {
		t.Fatal(packages, err)
	}
	run(t, exec.Command("chroot", root, "dpkg", "-i", "/root/"+filepath.Base(packages[0])))
	if after, err := os.ReadFile(settings); err != nil || !bytes.Equal(before, after) {
		t.Errorf("an upgrade changed the settings (%v)", err)
	}
	answer, err := http.Get("http://127.0.0.1:8081/readyz")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	out := run(t, exec.Command("chroot", root, "dpkg", "--purge", "portico"))
	if !strings.Contains(out, "the data stay in /var/lib/portico") {
		t.Errorf("purge does not say that the data stay:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(root, "var/lib/portico/portico.db")); err != nil {
		t.Error(err)
	}
	for _, gone := range []string{"etc/portico/portico.env", "usr/bin/portico", "lib/systemd/system/portico.service"} {
		if _, err := os.Stat(filepath.Join(root, gone)); err == nil {
			t.Errorf("purge left %s", gone)
		}
	}
}

// systemctl stands in for systemd, which does not run in a chroot. It does what the document asks: it starts the
// command of the unit as its user, with its settings, in a cleared environment, and waits until it serves.
var systemctl = fmt.Sprintf(`#!/bin/sh
set -eu
case "$*" in
"enable --now portico")
    unit=/lib/systemd/system/portico.service
    value() { sed -n "s/^$1=//p" $unit; }
    [ "$(value Type)" = notify ]
    install -d -o "$(value User)" -g "$(value Group)" -m "$(value StateDirectoryMode)" \
        /var/lib/"$(value StateDirectory)"
    set -- $(value ExecStart)
    cd "$(value WorkingDirectory)"
    umask "$(value UMask)"
    env -i PATH=/usr/bin:/bin $(grep -v '^#' "$(value EnvironmentFile)") \
        setpriv --reuid="$(value User)" --regid="$(value Group)" --init-groups --no-new-privs \
        --bounding-set=-all "$@" >/var/log/journal-portico 2>&1 </dev/null &
    for i in $(seq %d); do
        curl -fs -o /dev/null http://127.0.0.1:8081/readyz && exit 0
        kill -0 $!
        sleep 0.1
    done
    exit 1
    ;;
"enable --now portico-backup.timer") [ -e /lib/systemd/system/portico-backup.timer ] ;;
"reload nginx") nginx ;;
*) echo "systemctl $*: not known here" >&2; exit 1 ;;
esac
`, int(deploytest.Patience/(100*time.Millisecond)))
