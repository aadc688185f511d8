// Package program starts the built program for browser tests, and fills and reads its database.
package program

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"portico/e2e/testscope"
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

// Build compiles the program into a folder and returns its path. It uses the race detector if the tests do. The
// packages of browser tests share what is built in bin/, so that only the first one waits for the linker. With
// TEST_PROGRAM, the path of a program that was built before, it builds nothing.
func Build(dir string) (string, error) {
	if built := os.Getenv("TEST_PROGRAM"); built != "" {
		return built, nil
	}
	shared := testscope.File("bin/under-test")
	args := []string{"build"}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-race" && s.Value == "true" {
				args, shared = append(args, "-race"), shared+"-race"
			}
		}
	}
	if err := os.MkdirAll(filepath.Dir(shared), 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(shared+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }() // unlocks it
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("lock %s: %w", shared, err)
	}
	args = append(args, "-o", filepath.Join("bin", filepath.Base(shared)), ".")
	if out, err := testscope.Go(testscope.Root(), args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return copyProgram(shared, filepath.Join(dir, "under-test"))
}

// copyProgram copies a program and returns the path of the copy, which a later build does not change.
func copyProgram(from, to string) (string, error) {
	program, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, program, 0o755)
	}
	return to, err
}
