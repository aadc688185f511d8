// Package program starts the built program for browser tests, and fills and reads its database.
package program

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"time"
)

const (
	// Password is that of every demo phone and account.
	Password = "Demo2026"
	// NewPassword is what tests replace a password by, and what new people choose.
	NewPassword = "Blauwal77"
	// SupportName is the name of customer service.
	SupportName = "服务台"
	// SupportPhone is the phone number of customer service.
	SupportPhone = "4008001234"

	// Patience is how long a test waits for anything before it fails. It is the only limit on waiting, and far more
	// than an idle machine needs, because the tests also run while the machine is busy with other work.
	Patience = time.Minute
)

// Build compiles the program into a folder and returns its path. It uses the race detector if the tests do.
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
