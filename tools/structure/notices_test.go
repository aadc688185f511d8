package structure

import (
	"encoding/json"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestThirdPartyNoticesNameEveryModuleAndPackageOnce(t *testing.T) {
	notices, licences := readText(t, "docs/THIRD_PARTY_NOTICES.md"), readText(t, "docs/THIRD_PARTY_LICENSES.txt")
	linked := linkedModules(t)
	for _, name := range linked {
		if !strings.Contains(licences, name) {
			t.Errorf("%s has no licence in THIRD_PARTY_LICENSES.txt", name)
		}
	}
	for _, name := range slices.Concat(linked, directModules(t), bundledPackages(t)) {
		if rows := strings.Count(notices, "\n| `"+name+"`"); rows != 1 {
			t.Errorf("%s has %d rows in THIRD_PARTY_NOTICES.md, want 1", name, rows)
		}
	}
	inside, _, _ := strings.Cut(notices, "\n## The C library")
	_, inside, _ = strings.Cut(inside, "\n## Go modules inside the program\n")
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(inside, -1) {
		if !slices.Contains(linked, row[1]) {
			t.Errorf("THIRD_PARTY_NOTICES.md has a row for %s, which the program does not contain", row[1])
		}
	}
}

// The list of what a release contains names one version of each npm package.
func TestEachBundledPackageHasOneVersion(t *testing.T) {
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal([]byte(readText(t, "package-lock.json")), &lock); err != nil {
		t.Fatal(err)
	}
	versions := map[string]map[string]bool{}
	for path, installed := range lock.Packages {
		if i := strings.LastIndex(path, "node_modules/"); i >= 0 {
			name := path[i+len("node_modules/"):]
			if versions[name] == nil {
				versions[name] = map[string]bool{}
			}
			versions[name][installed.Version] = true
		}
	}
	for _, name := range bundledPackages(t) {
		if len(versions[name]) != 1 {
			t.Errorf("package-lock.json has these versions of %s, want one: %v", name, versions[name])
		}
	}
}

// linkedModules returns the paths of the modules that the program contains.
func linkedModules(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps",
		"-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// directModules returns the modules that go.mod requires and does not mark as indirect.
func directModules(t *testing.T) (paths []string) {
	t.Helper()
	required := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`)
	for _, m := range required.FindAllStringSubmatch(readText(t, "go.mod"), -1) {
		paths = append(paths, m[1])
	}
	return paths
}

// bundledPackages returns the npm packages that the scripts of the pages import, and those whose data the .mjs scripts
// write into files of the repository. The build replaces React by Preact, and copies Redoc.
func bundledPackages(t *testing.T) []string {
	t.Helper()
	packages := []string{"preact", "vite", "rolldown", "redoc"}
	imported := regexp.MustCompile(`(?m)^(?:import|export) .*from '([^.'][^']*)';$`)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		island := strings.HasPrefix(path, "islands/") && !strings.Contains(path, "test") &&
			path != "islands/vite.config.ts" // which builds them
		if !strings.HasSuffix(path, ".mjs") && !island || entry.IsDir() {
			return nil
		}
		for _, m := range imported.FindAllStringSubmatch(readText(t, path), -1) {
			name := m[1]
			scope, rest, scoped := strings.Cut(name, "/")
			if scoped && strings.HasPrefix(scope, "@") {
				base, _, _ := strings.Cut(rest, "/")
				name = scope + "/" + base
			} else {
				name = scope
			}
			if name != "react" && name != "react-dom" && !strings.HasPrefix(m[1], "node:") {
				packages = append(packages, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}
