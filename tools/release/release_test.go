package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// dist is the folder that make release wrote.
const dist = "../../dist"

// released returns the only file of the release whose name matches a pattern.
func released(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dist, pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 {
		t.Fatalf("dist/ has %d files like %s, want 1: run make release first", len(files), pattern)
	}
	return files[0]
}

// tool returns the path of a program. It skips the test without it, or fails it under CI.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") != "":
		t.Fatalf("%s is needed under CI", name)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// needRoot skips the test for other users, who may not change the root folder, or fails it under CI.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() == 0 {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal("root is needed under CI")
	}
	t.Skip("only root may change the root folder")
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	var problem bytes.Buffer
	command := exec.Command(name, args...)
	command.Stderr = &problem
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", command, err, out, &problem)
	}
	return string(out)
}

var versionLine = regexp.MustCompile(`^portico \S+, commit [0-9a-f]{12} of \d{4}-\d\d-\d\d\n$`)

func TestProgramsOfTheArchivesAreStaticAndRun(t *testing.T) {
	for arch, wrap := range map[string]string{"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"} {
		folder := t.TempDir()
		output(t, "tar", "-xzf", released(t, "portico_*_linux_"+arch+".tar.gz"), "-C", folder, "--strip-components=1")
		program := filepath.Join(folder, "portico")
		if about := output(t, tool(t, "readelf"), "-ld", program); strings.Contains(about, "INTERP") ||
			strings.Contains(about, "NEEDED") {
			t.Errorf("%s needs shared libraries:\n%s", arch, about)
		}
		if line := output(t, tool(t, wrap), program, "version"); !versionLine.MatchString(line) {
			t.Errorf("%s: portico version prints %q", arch, line)
		}
		names, err := release{source: "../.."}.shipped()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestPackageHasNoErrorsForLintian(t *testing.T) {
	for _, arch := range architectures() {
		lintian := exec.Command(tool(t, "lintian"), "--allow-root", released(t, "portico_*_"+arch+".deb"))
		out, _ := lintian.CombinedOutput() // fails for tags that are errors
		if bytes.Contains(out, []byte("E: ")) {
			t.Errorf("%s:\n%s", arch, out)
		}
	}
}

func TestPackageInstallsEachFileWithItsMode(t *testing.T) {
	list := output(t, tool(t, "dpkg-deb"), "--contents", released(t, "portico_*_amd64.deb"))
	for path, mode := range map[string]string{
		"/usr/bin/portico": "-rwxr-xr-x", "/usr/sbin/portico-admin": "-rwxr-xr-x",
		"/etc/portico/portico.env": "-rw-r-----", "/lib/systemd/system/portico.service": "-rw-r--r--",
		"/usr/share/man/man8/portico.8.gz": "-rw-r--r--", "/usr/share/doc/portico/copyright": "-rw-r--r--",
	} {
		line := regexp.MustCompile(`(?m)^(\S+) root/root .* \.` + regexp.QuoteMeta(path) + `$`).FindStringSubmatch(list)
		if line == nil || line[1] != mode {
			t.Errorf("%s: %q, want mode %s", path, line, mode)
		}
	}
	changed := output(t, "dpkg-deb", "--info", released(t, "portico_*_amd64.deb"), "conffiles")
	if changed != "/etc/portico/portico.env\n" {
		t.Errorf("dpkg keeps changes of %q", changed)
	}
}

func TestImageIsReadByOtherTools(t *testing.T) {
	skopeo, image := tool(t, "skopeo"), "oci-archive:"+released(t, "portico_*_image.tar")
	folder := t.TempDir()
	output(t, skopeo, "copy", "--quiet", "--insecure-policy", "--all", image, "oci:"+folder+":portico")
	for _, arch := range architectures() {
		var config struct {
			Architecture string
			Config       struct {
				User       string
				Entrypoint []string
			}
		}
		text := output(t, skopeo, "inspect", "--config", "--override-os=linux", "--override-arch="+arch, image)
		if err := json.Unmarshal([]byte(text), &config); err != nil {
			t.Fatal(err)
		}
		if config.Architecture != arch || config.Config.User != "65532:65532" ||
			!slices.Equal(config.Config.Entrypoint, []string{"/usr/bin/portico"}) {
			t.Errorf("%s: %+v", arch, config)
		}
	}
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	outer, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	inner, err := index.ImageIndex(outer.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	manifests, err := inner.IndexManifest()
	if err != nil || len(manifests.Manifests) != len(architectures()) {
		t.Fatal(manifests, err)
	}
	amd64, err := inner.Image(manifests.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	files := mutate.Extract(amd64)
	unpack := exec.Command("tar", "-x", "-C", root)
	unpack.Stdin = files
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	needRoot(t)
	run := exec.Command("chroot", "--userspec=65532:65532", root, "/usr/bin/portico", "version")
	if out, err := run.CombinedOutput(); err != nil || !versionLine.Match(out) {
		t.Errorf("in the container, portico version prints %q, %v", out, err)
	}
	if info, err := os.Stat(filepath.Join(root, "tmp")); err != nil || info.Mode()&os.ModeSticky == 0 {
		t.Errorf("/tmp: %v, %v", info, err)
	}
}

func TestSBOMNamesWhatIsInsideTheProgram(t *testing.T) {
	for _, arch := range architectures() {
		text, err := os.ReadFile(released(t, "portico_*_linux_"+arch+".cdx.json"))
		if err != nil {
			t.Fatal(err)
		}
		var bom struct {
			BOMFormat  string
			Components []struct {
				Name, Version string
				Licenses      []struct{ Expression string }
			}
		}
		if err := json.Unmarshal(text, &bom); err != nil || bom.BOMFormat != "CycloneDX" {
			t.Fatalf("%s, %v", bom.BOMFormat, err)
		}
		var names []string
		for _, c := range bom.Components {
			names = append(names, c.Name)
			if c.Version == "" || len(c.Licenses) == 0 {
				t.Errorf("%s: %s has the version %q and the licences %v", arch, c.Name, c.Version, c.Licenses)
			}
		}
		for _, want := range []string{"stdlib", "github.com/jackc/pgx/v5", "preact", "sqlite", "glibc"} {
			if !slices.Contains(names, want) {
				t.Errorf("%s: %s is missing", arch, want)
			}
		}
	}
}

func TestChecksumsNameEveryFileOfTheRelease(t *testing.T) {
	check := exec.Command("sha256sum", "--check", "--strict", "--quiet", checksumsName)
	check.Dir = dist
	if out, err := check.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dist, checksumsName))
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dist)
	if err != nil || strings.Count(string(text), "\n") != len(files)-1 {
		t.Errorf("%d files, %v:\n%s", len(files), err, text)
	}
}

func TestAFolderWithOtherFilesIsNotEmptied(t *testing.T) {
	r := release{out: t.TempDir(), date: time.Now()}
	other := filepath.Join(r.out, "letter.txt")
	if err := os.WriteFile(other, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.emptyOut(); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}
