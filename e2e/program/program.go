package program

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"time"
)

const (
	Password     = "Demo2026" // of every demo phone and account
	NewPassword  = "Blauwal77"
	SupportName  = "服务台"
	SupportPhone = "4008001234"

	// Patience is how long a test waits for anything before it fails. It is the only limit on waiting, and far above what
	// an idle machine needs, because the tests also run beside other work.
	Patience = time.Minute
)

// Build compiles the program, with the race detector when the tests have it.
func Build(dir string) (string, error) {
	program := filepath.Join(dir, "under-test")
	args := []string{"build", "-o", program}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-race" && s.Value == "true" {
				args = append(args, "-race")
			}
		}
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}
