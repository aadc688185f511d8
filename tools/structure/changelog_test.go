package structure

import (
	"os/exec"
	"regexp"
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

var (
	releaseNumber = regexp.MustCompile(`^\d+\.\d+\.\d+(-rc\.\d+)?$`)
	releaseTitle  = regexp.MustCompile(`(?m)^## (\d\S*), \d{4}-\d\d-\d\d$`)
)

func TestVersionIsThatOfTheTagAndTheChangelog(t *testing.T) {
	number, ended := strings.CutSuffix(readText(t, "command/VERSION"), "\n")
	if !ended || !releaseNumber.MatchString(number) {
		t.Errorf("VERSION is %q, want one line like 1.2.0 or 1.2.0-rc.1", number)
	}
	if newest := releaseTitle.FindStringSubmatch(readText(t, "CHANGELOG.md")); newest == nil || newest[1] != number {
		t.Errorf("VERSION says %s, and the newest section of CHANGELOG.md is %q", number, newest)
	}
	out, err := exec.Command("git", "tag", "--points-at", "HEAD", "--list", "v[0-9]*").Output()
	if err != nil {
		t.Fatal(err)
	}
	for tag := range strings.FieldsSeq(string(out)) {
		if tag != "v"+number {
			t.Errorf("the commit has the tag %s, and VERSION says %s", tag, number)
		}
	}
}
