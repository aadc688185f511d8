package structure

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// source is one file of the repository. Its path is relative to the root and has slashes.
type source struct{ path, text string }

// breach is one place that breaks a limit.
type breach struct {
	limit  string // what is broken, as "folder: lines"
	place  string // path:line, or the path of a folder
	advice string // what is wrong and what to do about it
}

func (b breach) String() string { return b.place + ": " + b.advice }

const (
	maxFolderFiles     = 25
	maxFolderLines     = 2500
	maxStoreFiles      = 50 // store has one file for each entity
	maxStoreLines      = 5000
	maxMethods         = 60
	maxExportedMethods = 35
	maxColumns         = 120
	tabColumns         = 4
)

func (s source) isGo() bool { return strings.HasSuffix(s.path, ".go") }

func (s source) isTest() bool {
	return strings.HasSuffix(s.path, "_test.go") || strings.HasSuffix(s.path, ".test.ts") ||
		strings.HasSuffix(s.path, ".test.tsx")
}

// isCode says whether people wrote the file in Go, templ or TypeScript.
func (s source) isCode() bool {
	switch path.Ext(s.path) {
	case ".go":
		return !strings.HasSuffix(s.path, "_templ.go")
	case ".templ", ".ts", ".tsx":
		return !strings.HasSuffix(s.path, ".d.ts") // openapi-typescript writes it
	}
	return false
}

// folderBreaches returns the folders with too many files or lines of code. Tests do not count.
func folderBreaches(all []source) (found []breach) {
	type size struct{ files, lines int }
	sizes := map[string]size{}
	for _, s := range all {
		if s.isCode() && !s.isTest() {
			sum := sizes[path.Dir(s.path)]
			sizes[path.Dir(s.path)] = size{sum.files + 1, sum.lines + strings.Count(s.text, "\n")}
		}
	}
	for folder, sum := range sizes {
		files, lines := maxFolderFiles, maxFolderLines
		if folder == "store" {
			files, lines = maxStoreFiles, maxStoreLines
		}
		if sum.files > files {
			found = append(found, breach{folder + ": files", folder + "/", fmt.Sprintf(
				"%d hand-written files, at most %d: move those of one subject to a folder of their own",
				sum.files, files)})
		}
		if sum.lines > lines {
			found = append(found, breach{folder + ": lines", folder + "/", fmt.Sprintf(
				"%d hand-written lines, at most %d: move a subject to a folder of its own", sum.lines, lines)})
		}
	}
	return found
}

// methodBreaches returns the types with too many methods. Tests and generated files do not count. A file that cannot be
// read as Go is left out: the compiler finds it.
func methodBreaches(all []source) (found []breach) {
	type count struct {
		methods, exported int
		first             string // where the first method is
	}
	counts := map[string]*count{}
	for _, s := range all {
		if !s.isGo() || !s.isCode() || s.isTest() {
			continue
		}
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, s.path, s.text, 0)
		if err != nil {
			continue
		}
		for _, declaration := range tree.Decls {
			method, ok := declaration.(*ast.FuncDecl)
			if !ok || method.Recv == nil {
				continue
			}
			name := path.Dir(s.path) + "." + baseType(method.Recv.List[0].Type)
			if counts[name] == nil {
				counts[name] = &count{first: fmt.Sprintf("%s:%d", s.path, files.Position(method.Pos()).Line)}
			}
			counts[name].methods++
			if method.Name.IsExported() {
				counts[name].exported++
			}
		}
	}
	for name, sum := range counts {
		if sum.methods > maxMethods {
			found = append(found, breach{name + ": methods", sum.first, fmt.Sprintf(
				"%s has %d methods, at most %d: give a subject a type of its own", name, sum.methods, maxMethods)})
		}
		if sum.exported > maxExportedMethods {
			found = append(found, breach{name + ": exported methods", sum.first, fmt.Sprintf(
				"%s has %d exported methods, at most %d: give a subject a type of its own",
				name, sum.exported, maxExportedMethods)})
		}
	}
	return found
}

// baseType returns the name of a receiver's type without the star and the type parameters.
func baseType(receiver ast.Expr) string {
	switch receiver := receiver.(type) {
	case *ast.StarExpr:
		return baseType(receiver.X)
	case *ast.ParenExpr:
		return baseType(receiver.X)
	case *ast.IndexExpr:
		return baseType(receiver.X)
	case *ast.IndexListExpr:
		return baseType(receiver.X)
	case *ast.Ident:
		return receiver.Name
	}
	return "?"
}

// columnBreaches returns the lines of code, of tests too, that are too long.
func columnBreaches(all []source) (found []breach) {
	for _, s := range all {
		if !s.isCode() {
			continue
		}
		for i, line := range strings.Split(s.text, "\n") {
			if n := columns(line); n > maxColumns {
				found = append(found, breach{s.path + ": columns", fmt.Sprintf("%s:%d", s.path, i+1),
					fmt.Sprintf("%d columns, at most %d: break the line", n, maxColumns)})
			}
		}
	}
	return found
}

// columns returns the width of a line. A tab is tabColumns wide and every other character, also a Chinese one, is one
// wide: that is how editors number columns.
func columns(line string) int {
	line = strings.TrimSuffix(line, "\r")
	return utf8.RuneCountInString(line) + strings.Count(line, "\t")*(tabColumns-1)
}

// siblingBreaches returns the imports between districts that go sideways or up. order has the levels of each folder of
// districts, the highest first. A district may import the districts of lower levels only.
func siblingBreaches(all []source, order map[string][][]string) (found []breach) {
	levels := map[string]int{}
	for parent, rows := range order {
		for level, row := range rows {
			for _, district := range row {
				levels[path.Join(parent, district)] = level
			}
		}
	}
	missing := map[string]bool{}
	for _, s := range all {
		folder := path.Dir(s.path)
		parent := path.Dir(folder)
		if _, ruled := order[parent]; !ruled || !s.isGo() || s.isTest() {
			continue
		}
		level, known := levels[folder]
		if !known && !missing[folder] {
			missing[folder] = true
			found = append(found, breach{folder + ": order", folder + "/",
				"it is not in the table districtOrder: add it to the level that fits"})
		}
		for imported, line := range imports(s) {
			otherLevel, isDistrict := levels[imported]
			if !known || !isDistrict || path.Dir(imported) != parent || otherLevel > level {
				continue
			}
			found = append(found, breach{folder + ": order", fmt.Sprintf("%s:%d", s.path, line), fmt.Sprintf(
				"%s must not import %s, which is not below it in districtOrder: move what both need further down, "+
					"or hand it over as a function", folder, imported)})
		}
	}
	return found
}

// imports returns the folders of this repository that a Go file imports, each with the line of the import.
func imports(s source) map[string]int {
	folders := map[string]int{}
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, s.path, s.text, parser.ImportsOnly)
	if err != nil {
		return folders
	}
	for _, spec := range tree.Imports {
		name, _ := strconv.Unquote(spec.Path.Value) // the parser accepts quoted paths only
		if folder, isOwn := strings.CutPrefix(name, "portico/"); isOwn {
			folders[folder] = files.Position(spec.Pos()).Line
		}
	}
	return folders
}

// comment is one line of a comment or a document.
type comment struct {
	line int
	text string
}

// commentMarks are the marks of comments in a kind of file: one that ends with the line, and pairs.
type commentMarks struct {
	line  string
	pairs map[string]string
}

var (
	slashMarks = commentMarks{"//", map[string]string{"/*": "*/", "<!--": "-->"}}
	hashMarks  = commentMarks{"#", nil}
	sqlMarks   = commentMarks{"--", map[string]string{"/*": "*/"}}
)

// comments finds the comments of a file; of a Markdown document every line. A mark counts at the beginning of a line or
// after a blank, so that addresses like https://example.com are none.
func comments(s source) (found []comment) {
	if s.isGo() {
		return goComments(s)
	}
	lines := strings.Split(s.text, "\n")
	marks := hashMarks
	switch path.Ext(s.path) {
	case ".md":
		for i, line := range lines {
			found = append(found, comment{i + 1, line})
		}
		return found
	case ".templ", ".ts", ".tsx", ".css":
		marks = slashMarks
	case ".sql":
		marks = sqlMarks
	}
	end := "" // the end mark of a comment that began in an earlier line
	for i, line := range lines {
		text := ""
		for rest := line; rest != ""; {
			var inside string
			inside, rest, end = nextComment(rest, end, marks)
			text += inside
		}
		if text != "" {
			found = append(found, comment{i + 1, text})
		}
	}
	return found
}

func goComments(s source) (found []comment) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, s.path, s.text, parser.ParseComments)
	if err != nil {
		return nil
	}
	for _, group := range tree.Comments {
		for _, one := range group.List {
			first := files.Position(one.Pos()).Line
			for i, line := range strings.Split(one.Text, "\n") {
				found = append(found, comment{first + i, line})
			}
		}
	}
	return found
}

// nextComment returns the text of the first comment of a line and the rest of the line. nextEnd is the end mark of a
// comment that continues in the next line, else "".
func nextComment(line, end string, marks commentMarks) (inside, rest, nextEnd string) {
	if end != "" {
		inside, rest, ended := strings.Cut(line, end)
		if ended {
			return inside, rest, ""
		}
		return inside, "", end
	}
	for i := range line {
		if i > 0 && line[i-1] != ' ' && line[i-1] != '\t' && line[i-1] != '{' {
			continue
		}
		if strings.HasPrefix(line[i:], marks.line) {
			return line[i:], "", ""
		}
		for begin, end := range marks.pairs {
			if after, ok := strings.CutPrefix(line[i:], begin); ok {
				return nextComment(after, end, marks)
			}
		}
	}
	return "", "", ""
}

var (
	// absentDocuments match references to documents that are not in the repository.
	absentDocuments = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\brequirements? \d+`),
		regexp.MustCompile(`(?i)\b(specification|contract|spec|design|brief)('s)?,? (section|chapter)\b`),
		regexp.MustCompile(`(?i)\bthe (specification|contract)\b`),
		regexp.MustCompile(`(?i)\b(finding|issue|review)s? (no\. ?|#)?\d+`),
		regexp.MustCompile(`(?i)\b(the|a|our) (code )?review (said|says|found|asked|asks|noted|notes|wanted|wants)\b`),
	}
	// bareSection matches a section of something. It is allowed beside the name of a published standard.
	bareSection = regexp.MustCompile(`(?i)\bsections? \d+`)
	standards   = regexp.MustCompile(`\b(RFC|FIPS|ISO|WCAG|OpenID|SQL|HTML|CSS|GB/T)\b`)
	documents   = regexp.MustCompile(`[\w./-]*\w\.md\b`)
)

// commentBreaches returns the comments and documents that name a document outside the repository. A name that ends with
// .md must be the path, or the end of the path, of a document in all.
func commentBreaches(all []source) (found []breach) {
	names := map[string]bool{}
	for _, s := range all {
		if path.Ext(s.path) == ".md" {
			names[path.Base(s.path)] = true
		}
	}
	for _, s := range all {
		for _, c := range comments(s) {
			if name := absentDocument(c.text, names); name != "" {
				found = append(found, breach{s.path + ": absent documents", fmt.Sprintf("%s:%d", s.path, c.line),
					fmt.Sprintf("%q is not in the repository: write the rule or the reason itself", name)})
			}
		}
	}
	return found
}

// absentDocument returns the part of a text that names an absent document, or "".
func absentDocument(text string, names map[string]bool) string {
	for _, pattern := range absentDocuments {
		if words := pattern.FindString(text); words != "" {
			return words
		}
	}
	if words := bareSection.FindString(text); words != "" && !standards.MatchString(text) {
		return words
	}
	for _, name := range documents.FindAllString(text, -1) {
		if !names[path.Base(name)] {
			return name
		}
	}
	return ""
}

// breaches returns the breaches of all limits, sorted by place.
func breaches(all []source, order map[string][][]string) []breach {
	found := slices.Concat(folderBreaches(all), methodBreaches(all), columnBreaches(all), siblingBreaches(all, order),
		commentBreaches(all))
	slices.SortFunc(found, func(a, b breach) int { return strings.Compare(a.String(), b.String()) })
	return found
}
