// Package structure tests the repository itself: who imports whom, how wide lines are, what documents promise and name,
// and what the program is built from.
package structure

import (
	"fmt"
	"os"
	"testing"
)

// The tests run at the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, "structure:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
