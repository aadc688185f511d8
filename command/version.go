package command

import (
	_ "embed" // for VERSION
	"fmt"
	"runtime/debug"
	"strings"
)

// released is the content of VERSION: the number of the release that the commit belongs to.
//
//go:embed VERSION
var released string

// version is set by the linker when the commit or an earlier one has a tag (see GO_BUILD in the Makefile).
var version = ""

// build is the version and commit of the program.
type build struct {
	version string // like 1.2.0, or 1.2.0-3-g1234567 for the third commit after the tag v1.2.0
	commit  string // "unknown" when it was not built from a checkout
	date    string // of the commit, "unknown" likewise
}

// commitDigits is how many digits of a commit are shown.
const commitDigits = 12

// readBuild reads the version and commit that the linker and the go command wrote into the program.
func readBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return buildOf(version, info.Main.Version, info.Settings)
}

// numberOf returns the version that the linker set, or else the one that the go command made from a tag. It returns
// VERSION only without both, because a commit after v1.2.0 must not claim to be 1.2.0. The go command writes
// v1.2.1-0.20261203101500-1234567890ab for such a commit, v0.0.0-… without a tag, and "(devel)" in tests and go run.
func numberOf(linked, stamped string) string {
	switch {
	case linked != "":
		return linked
	case strings.HasPrefix(stamped, "v") && !strings.HasPrefix(stamped, "v0.0.0-"):
		return strings.TrimPrefix(stamped, "v")
	}
	return strings.TrimSpace(released)
}

func buildOf(linked, stamped string, settings []debug.BuildSetting) build {
	b := build{version: numberOf(linked, stamped), commit: "unknown", date: "unknown"}
	changed := false
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = s.Value[:min(commitDigits, len(s.Value))]
		case "vcs.time":
			b.date, _, _ = strings.Cut(s.Value, "T")
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	if changed {
		b.commit += "+changes"
	}
	return b
}

func (b build) String() string {
	return fmt.Sprintf("portico %s, commit %s of %s", b.version, b.commit, b.date)
}
