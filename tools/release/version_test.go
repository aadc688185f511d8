package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestVersionIsSpelledForEachPlace(t *testing.T) {
	for _, c := range []struct {
		describe, declared string
		want               version
	}{
		{"v1.2.0", "1.2.0", version{"1.2.0", "1.2.0", true}},
		{"v1.2.0-rc.1", "1.2.0-rc.1", version{"1.2.0-rc.1", "1.2.0~rc.1", true}},
		{"v1.2.0-3-g1234567", "1.2.0", version{"1.2.0-3-g1234567", "1.2.0+3.g1234567", false}},
		{"v1.2.0-3-g1234567", "1.3.0", version{"1.2.0-3-g1234567", "1.2.0+3.g1234567", false}},
		{"v1.2.0-rc.1-3-g1234567", "1.2.0-rc.1", version{"1.2.0-rc.1-3-g1234567", "1.2.0~rc.1+3.g1234567", false}},
		{"", "1.2.0", version{"1.2.0", "1.2.0", true}},
	} {
		got, err := parseVersion(c.describe, c.declared)
		if err != nil || got != c.want {
			t.Errorf("%q, %q: %+v, %v; want %+v", c.describe, c.declared, got, err, c.want)
		}
	}
	for describe, declared := range map[string]string{
		"1.2.0": "1.2.0", "v1.2": "1.2", "version": "1.2.0", "v1.2.0.4": "1.2.0.4", "": "1.2",
		"v1.2.0": "1.1.0", // they differ
	} {
		if got, err := parseVersion(describe, declared); err == nil {
			t.Errorf("%q, %q is the version %+v", describe, declared, got)
		}
	}
}

func TestDebianSortsVersionsAsTheyWereMade(t *testing.T) {
	dpkg := tool(t, "dpkg")
	var versions []string
	for _, describe := range []string{
		"v1.2.0-rc.1", "v1.2.0-rc.1-3-g1234567", "v1.2.0", "v1.2.0-3-g1234567", "v1.2.1",
	} {
		v, err := parseVersion(describe, strings.TrimPrefix(describe, "v"))
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, v.debian)
	}
	for i, later := range versions[1:] {
		if err := exec.Command(dpkg, "--compare-versions", versions[i], "lt", later).Run(); err != nil {
			t.Errorf("%s does not sort before %s", versions[i], later)
		}
	}
}

func TestNotesAreTheSectionOfTheVersion(t *testing.T) {
	const changelog = "# Changelog\n\n## Unreleased\n\n- new\n\n## 1.2.0, 2026-11-23\n\n- old\n\n## 1.1.0, 2026-10-01\n"
	exact := func(file string) version { return version{file: file, exact: true} }
	for _, c := range []struct {
		version version
		want    string // "" when it is refused
	}{
		{exact("1.2.0"), "# Portico 1.2.0, 2026-11-23\n\n- old\n"},
		{version{file: "1.2.0-3-g1234567"}, "# Portico Unreleased\n\n- new\n"},
		{exact("1.1.0"), ""}, // empty
		{exact("1.3.0"), ""}, // absent
		{exact("1.2"), ""},
	} {
		got, err := notesOf(changelog, c.version)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v; want %q", c.version.file, got, err, c.want)
		}
	}
}

func TestEachArchitectureHasACompiler(t *testing.T) {
	if got := architectures(); !slices.Equal(got, []string{"amd64", "arm64"}) {
		t.Error(got)
	}
	r := release{out: t.TempDir()}
	if err := r.make(t.Context(), []string{"amd64", "riscv"}); err == nil || !strings.Contains(err.Error(), "riscv") {
		t.Error(err)
	}
}
