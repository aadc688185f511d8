package structure

import (
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// Imports stand in up to three groups with an empty line between them: the standard library, other modules, our own.
func TestImportsOfOneGroupAreOfOneKind(t *testing.T) {
	for _, s := range readSources(t) {
		if !strings.HasSuffix(s.path, ".go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, s.path, s.text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		line, kind := 0, ""
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			at := files.Position(spec.Pos()).Line
			if of := importKind(path); at == line+1 && of != kind {
				t.Errorf("%s:%d: %s is in the group of another kind", s.path, at, path)
			}
			line, kind = at, importKind(path)
		}
	}
}

// importKind returns whose package a path names: ours, that of another module, or one of the standard library.
func importKind(path string) string {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case first == "portico":
		return "ours"
	case strings.Contains(first, "."):
		return "another module"
	}
	return "standard library"
}
