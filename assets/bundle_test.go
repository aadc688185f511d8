package assets

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"
)

// docs/bundle.md lists every script that was built, with its size; `make build-report` writes it.
func TestBundleReportIsCurrent(t *testing.T) {
	report, err := os.ReadFile("../docs/bundle.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(report), "|---|---|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "| all |")
	built := 0
	for name, file := range files {
		if path.Ext(name) != ".js" {
			continue
		}
		built++
		chunk := strings.TrimPrefix(name[:len(name)-len("-BU311qW_.js")], Prefix)
		if want := fmt.Sprintf("| %s | %d |", chunk, len(file.Raw)); !strings.Contains(table, want) {
			t.Errorf("docs/bundle.md does not say %q: run make build-report", want)
		}
	}
	if lines := strings.Count(table, "\n"); built > 0 && lines != built {
		t.Errorf("docs/bundle.md lists %d scripts, %d were built: run make build-report", lines, built)
	}
}
