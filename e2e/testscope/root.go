package testscope

import (
	"bytes"
	"os"
	"path/filepath"
)

// Root returns the folder of the repository that the test runs in. It panics outside of one.
func Root() string {
	dir, err := os.Getwd()
	for err == nil && filepath.Dir(dir) != dir {
		if text, _ := os.ReadFile(filepath.Join(dir, "go.mod")); bytes.HasPrefix(text, []byte("module portico\n")) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	panic("testscope: the test does not run inside the repository")
}

// File returns the path of a file of the repository, named from its root with slashes.
func File(name string) string { return filepath.Join(Root(), filepath.FromSlash(name)) }
