package structure

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The start page leads to each document of docs exactly once.
func TestStartPageHasEveryDocumentOnce(t *testing.T) {
	page := readText(t, "docs/README.md")
	documents, err := filepath.Glob("docs/*.md")
	if err != nil || len(documents) < 20 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	for _, document := range documents {
		name := path.Base(document)
		if n := strings.Count(page, "]("+name+")"); n != 1 && name != "README.md" {
			t.Errorf("docs/README.md links %d times to %s, want once", n, name)
		}
	}
}

// The READMEs are one text in three languages: each links to the others and shows the same pictures and documents.
func TestReadmesHaveTheSameLinks(t *testing.T) {
	links := func(name string) map[string]bool {
		found := map[string]bool{}
		for _, m := range relativeLink.FindAllStringSubmatch(readText(t, name), -1) {
			if !strings.HasPrefix(m[1], "README") {
				found[m[1]] = true
			}
		}
		return found
	}
	names := []string{"README.md", "README.zh-Hans.md", "README.es.md"}
	first := links(names[0])
	for _, name := range names {
		for _, other := range names {
			if other != name && !strings.Contains(readText(t, name), other) {
				t.Errorf("%s does not link to %s", name, other)
			}
		}
		if got := links(name); !maps.Equal(got, first) {
			t.Errorf("%s links to %v, and %s to %v", name, slices.Sorted(maps.Keys(got)), names[0],
				slices.Sorted(maps.Keys(first)))
		}
	}
}
