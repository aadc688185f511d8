package structure

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A test that only `make test-all` runs says where `make test` tests the same. That place must exist.
func TestReasonsToRunATestOnlySometimesNameFolders(t *testing.T) {
	reason := regexp.MustCompile(`OnlyInAll\(t, "([^"]+)"\)`)
	folder := regexp.MustCompile(`\b(?:portal|pages|store|api|gateway|server|command)/[a-z0-9/]+`)
	named := 0
	for _, s := range readSources(t) {
		if !strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		for _, m := range reason.FindAllStringSubmatch(s.text, -1) {
			for _, name := range folder.FindAllString(m[1], -1) {
				named++
				if at, err := os.Stat(name); err != nil || !at.IsDir() {
					t.Errorf("%s: there is no folder %s", s.path, name)
				}
			}
		}
	}
	if named < 50 {
		t.Errorf("only %d reasons name a folder", named)
	}
}
