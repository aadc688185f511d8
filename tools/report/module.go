package main

import (
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a repository of Go code as its parser reads it.
type module struct {
	name      string // the path of the module, as go.mod has it
	set       *token.FileSet
	packages  map[string]*pkg // by folder; "" is the root. Only those that a program is linked from
	codeLines int             // hand-written, with templates' generated code and tests apart
	testLines int             // test files, and packages that only tests import
	generated int             // lines of generated files
}

// pkg is a package with its hand-written files.
type pkg struct {
	folder  string
	files   []file
	imports []string // folders of the same module
	isMain  bool
	test    bool // no program imports it
}

// file is a hand-written Go file that is not a test.
type file struct {
	path string
	text string
	tree *ast.File
}

var (
	moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)
	// generatedLine is how Go marks files that a program wrote.
	generatedLine = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
)

// skipped are folders without code of the module.
var skipped = []string{".git", "node_modules", "vendor", "testdata", "bin", "dist"}

// readModule parses all Go files below a folder. Modules inside it, like our tools, are counted too.
func readModule(folder string) (*module, error) {
	modFile, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return nil, err
	}
	name := moduleLine.FindSubmatch(modFile)
	if name == nil {
		return nil, errors.New("go.mod names no module")
	}
	m := &module{name: string(name[1]), set: token.NewFileSet(), packages: map[string]*pkg{}}
	err = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(skipped, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		relative, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		return m.readFile(name, filepath.ToSlash(relative))
	})
	if err != nil {
		return nil, err
	}
	m.dropTestPackages()
	for _, p := range m.packages {
		slices.Sort(p.imports)
	}
	return m, nil
}

// readFile adds one file. name is where it is, relative its path from the root of the module.
func (m *module) readFile(name, relative string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text := string(data)
	lines := strings.Count(text, "\n")
	tree, err := parser.ParseFile(m.set, relative, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if strings.HasSuffix(relative, "_test.go") {
		m.testLines += lines
		return nil
	}
	folder := strings.TrimPrefix(path.Dir(relative), ".")
	p := m.packages[folder]
	if p == nil {
		p = &pkg{folder: folder, test: true}
		m.packages[folder] = p
	}
	p.isMain = p.isMain || tree.Name.Name == "main"
	for _, spec := range tree.Imports {
		imported, own := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), m.name)
		imported = strings.TrimPrefix(imported, "/")
		if own && imported != folder && !slices.Contains(p.imports, imported) {
			p.imports = append(p.imports, imported)
		}
	}
	if generatedLine.MatchString(text) {
		m.generated += lines
		return nil
	}
	m.codeLines += lines
	p.files = append(p.files, file{relative, text, tree})
	return nil
}

// dropTestPackages leaves only the packages that a program imports: the others help tests, and their lines are theirs.
func (m *module) dropTestPackages() {
	for _, p := range m.packages {
		if p.isMain {
			m.markUsed(p)
		}
	}
	for folder, p := range m.packages {
		if !p.test {
			continue
		}
		for _, f := range p.files {
			lines := strings.Count(f.text, "\n")
			m.codeLines -= lines
			m.testLines += lines
		}
		delete(m.packages, folder)
	}
}

func (m *module) markUsed(p *pkg) {
	if !p.test {
		return
	}
	p.test = false
	for _, imported := range p.imports {
		if next := m.packages[imported]; next != nil {
			m.markUsed(next)
		}
	}
}

// sorted returns the packages by their folders.
func (m *module) sorted() (all []*pkg) {
	for _, p := range m.packages {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *pkg) int { return cmp.Compare(a.folder, b.folder) })
	return all
}

// lines returns how many hand-written lines a package has.
func (p *pkg) lines() (sum int) {
	for _, f := range p.files {
		sum += strings.Count(f.text, "\n")
	}
	return sum
}

// way returns the longest way of imports that begins with a package, the package included. known has the ways that were
// computed before.
func (m *module) way(folder string, known map[string][]string) []string {
	if way, ok := known[folder]; ok {
		return way
	}
	known[folder] = nil // Go allows no cycle; a broken module must not make this endless
	longest := []string{}
	for _, imported := range m.packages[folder].imports {
		if m.packages[imported] == nil {
			continue
		}
		if way := m.way(imported, known); len(way) > len(longest) {
			longest = way
		}
	}
	known[folder] = append([]string{folder}, longest...)
	return known[folder]
}

// longestWay returns the packages on the longest way of imports.
func (m *module) longestWay() (longest []string) {
	known := map[string][]string{}
	for _, p := range m.sorted() {
		if way := m.way(p.folder, known); len(way) > len(longest) {
			longest = way
		}
	}
	for i, folder := range longest {
		longest[i] = cmp.Or(folder, "(root)")
	}
	return longest
}
