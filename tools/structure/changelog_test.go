package structure

import (
	"os/exec"
	"strings"
	"testing"
)

// TestNewestTagHasASectionInTheChangelog looks at the newest version among the tags.
func TestNewestTagHasASectionInTheChangelog(t *testing.T) {
	out, err := exec.Command("git", "tag", "--list", "v[0-9]*", "--sort=-version:refname").Output()
	if err != nil {
		t.Fatal(err)
	}
	text := readText(t, "CHANGELOG.md")
	if !strings.Contains(text, "\n## Unreleased\n") {
		t.Error("CHANGELOG.md has no section for what is not released yet: ## Unreleased")
	}
	newest, _, _ := strings.Cut(string(out), "\n")
	if newest == "" {
		return // nothing has been released
	}
	if title := "\n## " + strings.TrimPrefix(newest, "v") + ","; !strings.Contains(text, title) {
		t.Errorf("CHANGELOG.md has no section %q", strings.TrimSpace(title))
	}
}
