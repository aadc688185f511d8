// Package testscope says how much of the tests runs, and helps tests in which chance could play a part: goroutines that
// begin at once, ports that nobody else gets, tokens that are surely changed. `make test` runs what finds most faults,
// in minutes. `make test-all` sets TEST_ALL and runs everything. docs/testing.md says which check runs where.
package testscope

import (
	"os"
	"testing"
)

// All reports whether everything runs: the tests of rules on both databases, the flows in every mode, the tests that
// take long or need further servers.
func All() bool { return os.Getenv("TEST_ALL") != "" }

// OnlyInAll skips a test unless everything runs. why says what the test needs or takes.
func OnlyInAll(t testing.TB, why string) {
	t.Helper()
	if !All() {
		t.Skip("only in make test-all: " + why)
	}
}
