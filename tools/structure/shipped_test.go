package structure

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	relativeLink = regexp.MustCompile(`\]\(([^)#\s:]+)(?:#[^)\s]*)?\)`)
	samplePath   = regexp.MustCompile(`\bdeploy/[\w./-]*\w`)
)

// People who have a release do not have the repository, so shipped documents name only shipped files.
func TestWhatShippedDocumentsNameIsShipped(t *testing.T) {
	shipped := map[string]bool{} // files, and folders that have one
	var documents []string
	for pattern := range strings.Lines(readText(t, "tools/release/shipped.txt")) {
		names, err := filepath.Glob(strings.TrimSpace(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if path.Ext(name) == ".md" {
				documents = append(documents, name)
			}
			for ; name != "."; name = path.Dir(name) {
				shipped[name] = true
			}
		}
	}
	for _, document := range documents {
		text := readText(t, document)
		for _, m := range relativeLink.FindAllStringSubmatch(text, -1) {
			if to := path.Join(path.Dir(document), m[1]); !shipped[to] {
				t.Errorf("%s links to %s, which no release has", document, to)
			}
		}
		for _, named := range samplePath.FindAllString(text, -1) {
			// What only the tests of the repository use is named to engineers.
			if !shipped[named] && document != "docs/testing.md" && document != "docs/requirements.md" {
				t.Errorf("%s names %s, which no release has", document, named)
			}
		}
	}
}
