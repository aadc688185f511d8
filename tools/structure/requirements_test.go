package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const requirementsPath = "docs/requirements.md"

// requirement is a row of docs/requirements.md: a promise, where the program keeps it, and the tests that check it.
type requirement struct {
	section                string
	promise, places, tests string
}

func (r requirement) String() string { return r.section + ": " + r.promise }

// requirements reads the tables of docs/requirements.md. Tables with two columns have no places.
func requirements(t *testing.T) (rows []requirement) {
	t.Helper()
	section := ""
	for line := range strings.Lines(readText(t, requirementsPath)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = title
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Promise |") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch len(cells) {
		case 2:
			rows = append(rows, requirement{section, cells[0], "", cells[1]})
		case 3:
			rows = append(rows, requirement{section, cells[0], cells[1], cells[2]})
		default:
			t.Errorf("%d cells: %s", len(cells), line)
		}
	}
	return rows
}

// readText returns the content of a file.
func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

var codeSpans = regexp.MustCompile("`([^`]+)`")

// findCodeSpans returns the texts between backticks in a cell.
func findCodeSpans(cell string) (result []string) {
	for _, span := range codeSpans.FindAllStringSubmatch(cell, -1) {
		result = append(result, span[1])
	}
	return result
}

func TestEveryPromiseHasATest(t *testing.T) {
	sections := map[string]int{}
	for _, row := range requirements(t) {
		sections[row.section]++
		if len(findCodeSpans(row.tests)) == 0 {
			t.Errorf("%s: no test", row)
		}
		text := strings.ToLower(row.promise + row.places + row.tests)
		if strings.Contains(text, "todo") || strings.Contains(text, "partly") {
			t.Errorf("%s: a promise is kept or it is no promise", row)
		}
	}
	if len(sections) < 25 {
		t.Errorf("%d sections, at least 25 were expected", len(sections))
	}
	for section, rows := range sections {
		if rows < 4 {
			t.Errorf("section %q has %d rows", section, rows)
		}
	}
}

// fileName matches the name of a file in this repository, from its top folder.
var fileName = regexp.MustCompile(`^[\w/.-]+\.(go|templ|ts|tsx|md|json|css|sql|txt)$`)

func isFile(span string) bool { return fileName.MatchString(span) && !strings.HasPrefix(span, "/") }

// declared matches the name of a declaration in a package or in the scripts, like signin.Login and islands.toast.
var declared = regexp.MustCompile(`^([a-z]\w*)\.(\w+)$`)

func TestEveryPlaceInTheRequirementsExists(t *testing.T) {
	setting := regexp.MustCompile(`^PORTICO_\w+$`)
	name := regexp.MustCompile(`^[A-Za-z]\w+$`)
	source := readSourceNames(t)
	for _, row := range requirements(t) {
		file := ""
		for _, span := range append(findCodeSpans(row.promise), findCodeSpans(row.places)...) {
			place := declared.FindStringSubmatch(span)
			switch {
			case isFile(span):
				file = readText(t, span)
			case place != nil:
				names := source.names[place[1]]
				if !slices.Contains(names, place[2]) {
					t.Errorf("%s: %s declares no %s; %s", row, place[1], place[2], mostSimilar(place[2], names))
				}
			case setting.MatchString(span):
				if !strings.Contains(source.text, `"`+span+`"`) {
					t.Errorf("%s: there is no setting %s", row, span)
				}
			case file != "" && name.MatchString(span) && !regexp.MustCompile(`\b`+span+`\b`).MatchString(file):
				t.Errorf("%s: no %s in the file named before it", row, span)
			}
		}
	}
}

func TestEveryTestInTheRequirementsExists(t *testing.T) {
	source := readSourceNames(t)
	for _, row := range requirements(t) {
		for _, span := range findCodeSpans(row.tests) {
			if title, ok := strings.CutPrefix(span, `"`); ok {
				title = strings.TrimSuffix(title, `"`)
				if !strings.Contains(source.scriptTests, "'"+title+"'") &&
					!strings.Contains(source.scriptTests, `"`+title+`"`) {
					t.Errorf("%s: no test of the scripts has the title %s", row, span)
				}
				continue
			}
			if !slices.Contains(source.tests, span) {
				t.Errorf("%s: there is no %s; %s", row, span, mostSimilar(span, source.tests))
			}
		}
	}
}

// The documents name declarations like signin.Login, and Go tests like TestEveryPage.
func TestNamesInDocumentsExist(t *testing.T) {
	source := readSourceNames(t)
	for _, path := range markdownPages(t) {
		if path == requirementsPath {
			continue // the tests above read it
		}
		for _, span := range findCodeSpans(readText(t, path)) {
			place := declared.FindStringSubmatch(span)
			switch {
			case strings.HasPrefix(span, "Test") && !strings.ContainsAny(span, "./* |"):
				if path != "CONTRIBUTING.md" && !slices.Contains(source.tests, span) {
					t.Errorf("%s: there is no %s; %s", path, span, mostSimilar(span, source.tests))
				}
			case place != nil && len(source.names[place[1]]) > 0 && !isFile(span):
				if names := source.names[place[1]]; !slices.Contains(names, place[2]) {
					t.Errorf("%s: %s declares no %s; %s", path, place[1], place[2], mostSimilar(place[2], names))
				}
			}
		}
	}
}

// markdownPages returns the Markdown files at the top and below docs, except for the changelog, which names things that
// no longer exist.
func markdownPages(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return path == "CHANGELOG.md" })
}

// sourceNames are the names that documents may refer to.
type sourceNames struct {
	names       map[string][]string // declarations without tests, by package, those of scripts by top folder
	tests       []string            // Go tests
	scriptTests string              // the text of all tests of scripts
	text        string              // the text of all Go files but tests
}

// readSourceNames collects the names of the repository.
func readSourceNames(t *testing.T) sourceNames {
	t.Helper()
	source := sourceNames{names: map[string][]string{}}
	var scripts, text strings.Builder
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(\w+ \*testing\.T\) \{`)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{"node_modules", ".git", "testdata", "dist"}, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		top, _, _ := strings.Cut(path, "/")
		switch {
		case strings.HasSuffix(path, "_test.go"):
			for _, m := range test.FindAllStringSubmatch(readText(t, path), -1) {
				source.tests = append(source.tests, m[1])
			}
		case strings.HasSuffix(path, ".go"):
			name := filepath.Base(filepath.Dir(path))
			source.names[name] = append(source.names[name], declarations(t, path)...)
			text.WriteString(readText(t, path))
		case strings.HasSuffix(path, ".test.ts"), strings.HasSuffix(path, ".test.tsx"):
			scripts.WriteString(readText(t, path))
		case strings.HasSuffix(path, ".ts"), strings.HasSuffix(path, ".tsx"):
			source.names[top] = append(source.names[top], scriptDeclarations(readText(t, path))...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	source.scriptTests, source.text = scripts.String(), text.String()
	return source
}

// declarations returns the names that a Go file declares: functions, methods, types, constants, variables and fields.
func declarations(t *testing.T, path string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			names = append(names, node.Name.Name)
			return false
		case *ast.TypeSpec:
			names = append(names, node.Name.Name)
		case *ast.ValueSpec:
			for _, name := range node.Names {
				names = append(names, name.Name)
			}
		case *ast.StructType:
			for _, field := range node.Fields.List {
				for _, name := range field.Names {
					names = append(names, name.Name)
				}
			}
		}
		return true
	})
	return names
}

var scriptDeclaration = regexp.MustCompile(
	`(?m)^(?:export )?(?:default )?(?:async )?(?:function|const|let|class|type|interface) (\w+)` +
		`|^  (?:async )?(\w+)(?:\(|: )`)

// scriptDeclarations returns the names that a script declares at its top level, and those of its methods and keys.
func scriptDeclarations(text string) (names []string) {
	for _, m := range scriptDeclaration.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1]+m[2])
	}
	return names
}

var longWords = regexp.MustCompile(`[A-Z]?[a-z0-9]{3,}`)

// mostSimilar returns the name that shares the largest part of its words with a missing name.
func mostSimilar(name string, names []string) string {
	words := longWords.FindAllString(name, -1)
	best, common := "nothing is called alike", 0.3
	for _, other := range names {
		result, shared := len(words), 0
		for _, word := range longWords.FindAllString(other, -1) {
			if slices.Contains(words, word) {
				shared++
			} else {
				result++
			}
		}
		if part := float64(shared) / float64(result); part > common {
			best, common = "perhaps "+other, part
		}
	}
	return best
}

func TestRequirementsNameEveryCallAndRoute(t *testing.T) {
	page := readText(t, requirementsPath)
	table := regexp.MustCompile(`(?m)^\t\{(get|post), "([^"]+)",`)
	calls := table.FindAllStringSubmatch(readText(t, "api/calls.go"), -1)
	if len(calls) != 45 {
		t.Errorf("%d calls", len(calls))
	}
	for _, call := range calls {
		if row := "\n| `" + strings.ToUpper(call[1]) + " " + call[2] + "`"; strings.Count(page, row) != 1 {
			t.Errorf("%s %s has no row of its own", call[1], call[2])
		}
	}
	for _, route := range []string{
		"/", "/login", "/login/account", "/register", "/register/complete", "/register/init", "/register/wechat",
		"/register/result", "/register/more", "/company", "/bind/:isBind?", "/unbind", "/forget/:type?",
		"/experience", "/experience/role", "/agreement", "/jumperror", "/wechatpro",
	} {
		if !strings.Contains(page, "\n| `"+route+"`") {
			t.Errorf("%s has no row", route)
		}
	}
}

func TestEveryLinkInDocumentsExists(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"`)
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	for _, path := range markdownPages(t) {
		text := code.ReplaceAllString(readText(t, path), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1]+m[2], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file := path
			if target != "" {
				file = filepath.Join(filepath.Dir(path), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", path, err)
			} else if anchor != "" && !slices.Contains(anchors(readText(t, file)), anchor) {
				t.Errorf("%s: %s has no heading #%s", path, file, anchor)
			}
		}
	}
}

// anchors returns the anchors that GitHub gives the headings of a page.
func anchors(text string) (result []string) {
	dropped := regexp.MustCompile(`[^\p{L}\p{N}\- ]`)
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			name := dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			result = append(result, strings.ReplaceAll(name, " ", "-"))
		}
	}
	return result
}
