package structure

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// skippedFolders contain files that were not written here or that are generated.
var skippedFolders = []string{".git", "node_modules", "bin", "data", "coverage", "dist", "assets/dist"}

// readSources reads every file that a limit applies to.
func readSources(t *testing.T) (sources []source) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() && (slices.Contains(skippedFolders, name) || entry.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !hasLimits(name) || !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(name)
		sources = append(sources, source{name, string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) < 100 {
		t.Fatalf("only %d files were found", len(sources))
	}
	return sources
}

// hasLimits reports whether limits apply to a file.
func hasLimits(name string) bool {
	switch path.Ext(name) {
	case ".go", ".templ", ".ts", ".tsx", ".css", ".sql", ".md":
		return !strings.HasSuffix(name, "_templ.go")
	}
	return name == "Makefile" || strings.HasPrefix(name, ".ci/")
}

func TestLinesImportsAndCommentsKeepTheirLimits(t *testing.T) {
	for _, found := range breaches(readSources(t)) {
		t.Error(found)
	}
}

func TestEachLimitReportsOnlyItsBreaches(t *testing.T) {
	long := strings.Repeat("x", maxColumns)
	for name, c := range map[string]struct {
		sources []source
		want    string // the broken limit; "" when none is
	}{
		"120 columns":         {[]source{{"a/a.go", long}}, ""},
		"121 columns":         {[]source{{"a/a.go", "\n" + long + "x\n"}}, "a/a.go: columns"},
		"a tab too many":      {[]source{{"a/a_test.go", "\t" + long[3:]}}, "a/a_test.go: columns"},
		"120 Chinese letters": {[]source{{"a/a.ts", strings.Repeat("字", 120)}}, ""},
		"a long document":     {[]source{{"a/a.md", long + long}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, found := range breaches(c.sources) {
				got = found.limit
			}
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

func TestCommentsThatNameAbsentDocumentsAreReported(t *testing.T) {
	for _, c := range []struct {
		path, text string
		line       int // 0 when the text is allowed
	}{
		{"a/a.go", "package a\n\n// f obeys requirement 51.\n", 3},
		{"a/a.go", "package a // see specification section 4\n", 1},
		{"a/a.go", "/* One.\n   The contract's section 7. */\npackage a\n", 2},
		{"a/a.go", "package a\n\nvar s = \"requirement 51\"\n", 0},
		{"a/a.go", "// Codes are compared in constant time.\npackage a\n", 0},
		{"a/a.go", "// Percent-encoded as in RFC 3986, section 2.3.\npackage a\n", 0},
		{"a/a.go", "// Section 2.3 says so.\npackage a\n", 1},
		{"a/a.go", "// Review decides on an application.\npackage a\n", 0},
		{"a/a.go", "// The review said so.\npackage a\n", 1},
		{"a/a.go", "// see docs/known.md\npackage a\n", 0},
		{"a/a.go", "// see design.md\npackage a\n", 1},
		{"a/a.templ", "<p>{/* finding 12 */}</p>\n", 1},
		{"a/a.templ", "<p>issue 12</p>\n", 0},
		{"a/a.ts", "const address = 'https://example.com/issue 12'\n", 0},
		{"a/a.ts", "const one = 1 // issue #12\n", 1},
		{"a/a.css", "a { b: c }\n/* the specification */\n", 2},
		{"a/a.sql", "create table a (b text); -- requirement 3\n", 1},
		{"Makefile", "# The specification asks for it.\n", 1},
		{".ci/test", "echo 1 # requirement 1\n", 1},
		{"docs/a.md", "As requirement 12 says.\n", 1},
	} {
		found := commentBreaches([]source{{"docs/known.md", ""}, {c.path, c.text}})
		switch {
		case c.line == 0 && len(found) > 0:
			t.Errorf("%s %q: %v", c.path, c.text, found)
		case c.line > 0 && (len(found) != 1 || found[0].place != fmt.Sprintf("%s:%d", c.path, c.line)):
			t.Errorf("%s %q: %v, want line %d", c.path, c.text, found, c.line)
		}
	}
}
