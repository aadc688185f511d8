package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

const testCommit = "5da9953f343d78d70a6b3e0e98d60e6fc5118a88"

func TestVersionIsSpelledForEachPlace(t *testing.T) {
	day := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for describe, want := range map[string]version{
		"v1.2.0":                 {"v1.2.0", "1.2.0", "1.2.0", true},
		"v1.2.0-rc.1":            {"v1.2.0-rc.1", "1.2.0-rc.1", "1.2.0~rc.1", true},
		"v1.2.0-3-g1234567":      {"v1.2.0-3-g1234567", "1.2.0-3-g1234567", "1.2.0+3.g1234567", false},
		"v1.2.0-rc.1-3-g1234567": {"v1.2.0-rc.1-3-g1234567", "1.2.0-rc.1-3-g1234567", "1.2.0~rc.1+3.g1234567", false},
		"": {"0.0.0-dev.20261123.g5da9953f343d", "0.0.0-dev.20261123.g5da9953f343d",
			"0.0.0~dev.20261123.g5da9953f343d", false},
	} {
		got, err := parseVersion(describe, testCommit, day)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", describe, got, err, want)
		}
	}
	for _, wrong := range []string{"1.2.0", "v1.2", "version", "v1.2.0.4"} {
		if got, err := parseVersion(wrong, testCommit, day); err == nil {
			t.Errorf("%q is the version %+v", wrong, got)
		}
	}
}

func TestDebianSortsVersionsAsTheyWereMade(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("dpkg is not installed")
	}
	var versions []string
	for _, describe := range []string{
		"", "v1.2.0-rc.1", "v1.2.0-rc.1-3-g1234567", "v1.2.0", "v1.2.0-3-g1234567", "v1.2.1",
	} {
		v, err := parseVersion(describe, testCommit, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, v.debian)
	}
	for i, later := range versions[1:] {
		if err := exec.Command("dpkg", "--compare-versions", versions[i], "lt", later).Run(); err != nil {
			t.Errorf("%s does not sort before %s", versions[i], later)
		}
	}
}

func TestNotesAreTheSectionOfTheVersion(t *testing.T) {
	const changelog = "# Changelog\n\n## Unreleased\n\n- new\n\n## 1.2.0, 2026-11-23\n\n- old\n\n## 1.1.0, 2026-10-01\n"
	tagged := func(file string) version { return version{file: file, tagged: true} }
	for _, c := range []struct {
		version version
		want    string // "" when it is refused
	}{
		{tagged("1.2.0"), "# Portico 1.2.0, 2026-11-23\n\n- old\n"},
		{version{file: "1.2.0-3-g1234567"}, "# Portico Unreleased\n\n- new\n"},
		{tagged("1.1.0"), ""}, // empty
		{tagged("1.3.0"), ""}, // absent
		{tagged("1.2"), ""},
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
