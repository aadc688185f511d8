package deploy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"portico/deploy/deploytest"
)

// maxExposure is the highest score of systemd-analyze security that the units may have, from 0 (closed) to 10.
const maxExposure = 1.5

func TestUnitsAreHardened(t *testing.T) {
	tool := deploytest.Tool(t, "systemd-analyze")
	score := regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`)
	for _, unit := range []string{"portico.service", "portico-backup.service"} {
		out, err := exec.Command(tool, "security", "--offline=true", "--no-pager", "systemd/"+unit).CombinedOutput()
		m := score.FindSubmatch(out)
		if err != nil || m == nil {
			t.Fatalf("%s: %v\n%s", unit, err, out)
		}
		if exposure, err := strconv.ParseFloat(string(m[1]), 64); err != nil || exposure > maxExposure {
			t.Errorf("%s has the exposure %s, want at most %g\n%s", unit, m[1], maxExposure, out)
		}
	}
}

// systemd-analyze verify reports unknown names and values. The programs of the units are replaced by one that exists.
func TestUnitsHaveNoUnknownSettings(t *testing.T) {
	tool := deploytest.Tool(t, "systemd-analyze")
	folder := t.TempDir()
	paths, err := filepath.Glob("systemd/portico*")
	if err != nil || len(paths) != 3 {
		t.Fatal(paths, err)
	}
	args := []string{"verify", "--man=no"}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		unit := strings.ReplaceAll(string(text), "=/usr/bin/portico ", "=/bin/true ")
		args = append(args, deploytest.WriteFile(t, folder, filepath.Base(path), unit))
	}
	out, err := exec.Command(tool, args...).CombinedOutput()
	if err != nil || strings.Contains(string(out), folder) {
		t.Errorf("%v\n%s", err, out)
	}
}

// drainAndShutdown is how long a stopping program may take, in seconds: it drains for 5 and shuts down within 20.
const drainAndShutdown = 5 + 20

func TestSystemdWaitsUntilTheProgramHasStopped(t *testing.T) {
	text, err := os.ReadFile("systemd/portico.service")
	if err != nil {
		t.Fatal(err)
	}
	seconds := 0
	for line := range strings.Lines(string(text)) {
		_, _ = fmt.Sscanf(line, "TimeoutStopSec=%d", &seconds)
	}
	if seconds <= drainAndShutdown {
		t.Errorf("TimeoutStopSec=%d, want more than %d", seconds, drainAndShutdown)
	}
}

func TestScriptsOfThePackageAreShell(t *testing.T) {
	for _, name := range []string{"portico-admin", "postinst", "prerm", "postrm"} {
		if out, err := exec.Command("sh", "-n", "debian/"+name).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
