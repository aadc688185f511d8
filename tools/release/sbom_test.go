package main

import (
	"strings"
	"testing"
)

// npm may put a package into the folder of the only package that needs it: rolldown into the folder of vite. The SBOM
// must have it all the same.
func TestSBOMHasEachPackageOfTheScriptsWithItsVersion(t *testing.T) {
	all, err := release{source: "../.."}.scriptComponents(nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, c := range all {
		names[c.Name] = true
		if c.Version == "" || !strings.HasSuffix(c.PackageURL, "@"+c.Version) {
			t.Errorf("%s has the version %q and the URL %s", c.Name, c.Version, c.PackageURL)
		}
	}
	for _, name := range []string{"@vant/area-data", "preact", "redoc", "rolldown", "vite"} {
		if !names[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestPackageWithoutOneVersionIsRefused(t *testing.T) {
	at := func(versions ...string) lockFile {
		l := lockFile{Packages: map[string]struct{ Version string }{"node_modules/other-vite": {"9.0.0"}}}
		for i, v := range versions {
			l.Packages[strings.Repeat("node_modules/a/", i)+"node_modules/vite"] = struct{ Version string }{v}
		}
		return l
	}
	if v, err := at("8.1.0", "8.1.0").version("vite"); err != nil || v != "8.1.0" {
		t.Errorf("one version in two folders: %q, %v", v, err)
	}
	for _, l := range []lockFile{at(), at(""), at("8.1.0", "7.0.0")} {
		if v, err := l.version("vite"); err == nil {
			t.Errorf("%v: %q", l.Packages, v)
		}
	}
}
