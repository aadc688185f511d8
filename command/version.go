package command

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// version is set by the linker when the commit has a tag (see GO_BUILD in the Makefile).
var version = ""

// build is the version and commit of the program.
type build struct {
	version string // "dev" without a tag
	commit  string // "unknown" when it was not built from a checkout
	date    string // of the commit, "unknown" likewise
}

// commitDigits is how many digits of a commit are shown.
const commitDigits = 12

// readBuild reads the version and commit that the go command wrote into the program.
func readBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return buildOf(version, info.Settings)
}

func buildOf(version string, settings []debug.BuildSetting) build {
	b := build{version: version, commit: "unknown", date: "unknown"}
	if version == "" {
		b.version = "dev"
	}
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
