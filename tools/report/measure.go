package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	wideColumns    = 120
	readingColumns = 100
	tabColumns     = 4
	listed         = 10 // rows of each list of the largest
)

// function is a function or method with a body.
type function struct {
	name       string // folder.Name or folder.Type.Name
	lines      int
	parameters int
}

// counts is what one walk through the files finds.
type counts struct {
	functions       []function
	fileLines       []int
	methods         map[string]int // by folder.Type
	exportedMethods map[string]int
	functionFields  int
	interfaces      int
	passThrough     int
	blindMethods    int // never use their receiver
	allMethods      int
	parallel        int // assignments of three or more values at once
	exported        int
	documented      int
	repeatPackage   int
	commentLines    int
	lines           int // not blank
	wide            int // over wideColumns
	overReading     int // over readingColumns
}

// measure returns the rows of the report.
func (m *module) measure() []figure {
	c := m.count()
	var functionLines, parameters, folderFiles []int
	for _, f := range c.functions {
		functionLines, parameters = append(functionLines, f.lines), append(parameters, f.parameters)
	}
	imports, single := 0, 0
	importers := map[string]int{}
	for _, p := range m.packages {
		if len(p.files) > 0 {
			folderFiles = append(folderFiles, len(p.files))
		}
		imports += len(p.imports)
		for _, imported := range p.imports {
			importers[imported]++
		}
	}
	for _, n := range importers {
		if n == 1 {
			single++
		}
	}
	methods, exportedMethods := largest(c.methods), largest(c.exportedMethods)
	return []figure{
		{"lines of Go, by hand", fmt.Sprint(m.codeLines), [4]string{"43840", "28202", "56160", "94894"}, ""},
		{"lines of Go, generated", fmt.Sprint(m.generated), [4]string{"0", "21188", "0", "119324"}, ""},
		{"lines of tests per line by hand", share(m.testLines, m.codeLines, 1), [4]string{
			"0.84", "0.83", "1.25", "0.96"}, ""},
		{"function lines: median/p90/p99/most", spread(functionLines, 50, 90, 99, 100), [4]string{
			"11/48/148/558", "12/44/134/218", "10/44/144/420", "7/35/108/264"}, "9/28/51/138"},
		{"parameters: median/p90/most", spread(parameters, 50, 90, 100), [4]string{
			"1/3/8", "2/4/8", "1/2/6", "1/3/9"}, "most 6"},
		{"file lines: median/p90/most", spread(c.fileLines, 50, 90, 100), [4]string{
			"71/287/1560", "162/480/1064", "120/510/1621", "73/316/2188"}, ""},
		{"files a folder: median/p90/most", spread(folderFiles, 50, 90, 100), [4]string{
			"1/7/93", "1/6/27", "3/8/69", "2/10/43"}, ""},
		{"packages", fmt.Sprint(len(m.packages)), [4]string{"87", "51", "41", "171"}, ""},
		{"own imports a package", share(imports, len(m.packages), 1), [4]string{"4.1", "4.3", "3.5", "3.2"}, "5"},
		{"packages on the longest import way", fmt.Sprint(len(m.longestWay())), [4]string{
			"14", "10", "12", "24"}, "14"},
		{"packages with one importer", fmt.Sprint(single), [4]string{"49", "10", "12", "26"}, ""},
		{"function fields in structs", fmt.Sprint(c.functionFields), [4]string{"1", "10", "15", "36"}, "30"},
		{"interfaces", fmt.Sprint(c.interfaces), [4]string{"3", "12", "40", "304"}, ""},
		{"functions that only pass on", fmt.Sprint(c.passThrough), [4]string{"6", "21", "47", "75"}, ""},
		{"most methods of a type", fmt.Sprint(methods), [4]string{"123", "34", "217", "160"}, ""},
		{"most exported methods of a type", fmt.Sprint(exportedMethods), [4]string{"", "", "", ""}, ""},
		{"methods that don't use their receiver", fmt.Sprintf("%d of %d", c.blindMethods, c.allMethods), [4]string{
			"22 of 898", "11 of 358", "21 of 1297", "44 of 11110"}, ""},
		{"three or more values assigned at once", fmt.Sprint(c.parallel), [4]string{"0", "1", "0", "0"}, "0"},
		{"exported names per 1,000 lines", share(c.exported*1000, m.codeLines, 0), [4]string{
			"26", "22", "31", "54"}, ""},
		{"exported names with a comment", share(c.documented, c.exported, 100), [4]string{
			"62 %", "84 %", "82 %", "24 %"}, ""},
		{"exported names that repeat their package", share(c.repeatPackage, c.exported, 100), [4]string{
			"10.7 %", "4.8 %", "1.7 %", "7.4 %"}, ""},
		{"comment lines", share(c.commentLines, c.lines, 100), [4]string{"8.3 %", "19.4 %", "19.4 %", "16.8 %"}, ""},
		{fmt.Sprintf("lines over %d columns", wideColumns), share(c.wide, c.lines, 100), [4]string{
			"0.8 %", "0.6 %", "0.8 %", "2.6 %"}, "0"},
		{fmt.Sprintf("lines over %d columns", readingColumns), share(c.overReading, c.lines, 100), [4]string{
			"2.0 %", "1.7 %", "2.4 %", "5.6 %"}, ""},
	}
}

// share returns part of whole with one or two digits: as a percentage when scale is 100.
func share(part, whole, scale int) string {
	if whole == 0 {
		return "–"
	}
	value := float64(part) / float64(whole)
	switch scale {
	case 0:
		return fmt.Sprintf("%.0f", value)
	case 100:
		return fmt.Sprintf("%.1f %%", 100*value)
	}
	return fmt.Sprintf("%.2f", value)
}

// spread returns percentiles of numbers, separated by slashes. The hundredth is the largest number.
func spread(numbers []int, percentiles ...int) string {
	if len(numbers) == 0 {
		return "–"
	}
	slices.Sort(numbers)
	parts := make([]string, len(percentiles))
	for i, percentile := range percentiles {
		parts[i] = fmt.Sprint(numbers[(len(numbers)-1)*percentile/100])
	}
	return strings.Join(parts, "/")
}

func largest(numbers map[string]int) (most int) {
	for _, n := range numbers {
		most = max(most, n)
	}
	return most
}

// count walks through all hand-written files.
func (m *module) count() *counts {
	c := &counts{methods: map[string]int{}, exportedMethods: map[string]int{}}
	for _, p := range m.sorted() {
		for _, f := range p.files {
			c.fileLines = append(c.fileLines, strings.Count(f.text, "\n"))
			c.countLines(f)
			c.countComments(m.set, f)
			for _, declaration := range f.tree.Decls {
				switch declaration := declaration.(type) {
				case *ast.FuncDecl:
					c.countFunction(m.set, p.folder, f.tree.Name.Name, declaration)
				case *ast.GenDecl:
					c.countNames(f.tree.Name.Name, declaration)
				}
			}
			ast.Inspect(f.tree, c.countNode)
		}
	}
	return c
}

func (c *counts) countLines(f file) {
	for line := range strings.Lines(f.text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		c.lines++
		switch width := utf8.RuneCountInString(line) + strings.Count(line, "\t")*(tabColumns-1); {
		case width > wideColumns:
			c.wide++
			c.overReading++
		case width > readingColumns:
			c.overReading++
		}
	}
}

func (c *counts) countComments(set *token.FileSet, f file) {
	for _, group := range f.tree.Comments {
		for _, one := range group.List {
			c.commentLines += set.Position(one.End()).Line - set.Position(one.Pos()).Line + 1
		}
	}
}

// countNode counts what can stand anywhere in a file.
func (c *counts) countNode(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.AssignStmt:
		if len(node.Rhs) >= 3 {
			c.parallel++
		}
	case *ast.StructType:
		for _, field := range node.Fields.List {
			if _, ok := field.Type.(*ast.FuncType); ok {
				c.functionFields += max(1, len(field.Names))
			}
		}
	case *ast.TypeSpec:
		if _, ok := node.Type.(*ast.InterfaceType); ok {
			c.interfaces++
		}
	}
	return true
}

func (c *counts) countFunction(set *token.FileSet, folder, packageName string, f *ast.FuncDecl) {
	parameters := parameterNames(f.Type)
	name := path.Join(folder, ".")
	if f.Recv != nil {
		receiver := name + "." + baseType(f.Recv.List[0].Type)
		c.methods[receiver]++
		c.allMethods++
		if f.Name.IsExported() {
			c.exportedMethods[receiver]++
		}
		if !usesReceiver(f) {
			c.blindMethods++
		}
		name = receiver
	}
	c.functions = append(c.functions, function{
		name + "." + f.Name.Name, set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1, len(parameters),
	})
	if passesOn(f, parameters) {
		c.passThrough++
	}
	if f.Name.IsExported() {
		c.countExported(packageName, f.Name.Name, f.Doc != nil)
	}
}

// countNames counts the exported types, constants and variables of a declaration. A comment of the whole group counts
// for each name.
func (c *counts) countNames(packageName string, declaration *ast.GenDecl) {
	for _, spec := range declaration.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				c.countExported(packageName, spec.Name.Name,
					declaration.Doc != nil || spec.Doc != nil || spec.Comment != nil)
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() {
					c.countExported(packageName, name.Name,
						declaration.Doc != nil || spec.Doc != nil || spec.Comment != nil)
				}
			}
		}
	}
}

func (c *counts) countExported(packageName, name string, documented bool) {
	c.exported++
	if documented {
		c.documented++
	}
	if strings.HasPrefix(strings.ToLower(name), strings.ToLower(packageName)) {
		c.repeatPackage++
	}
}

// parameterNames returns the names of the parameters, "_" for one without a name.
func parameterNames(f *ast.FuncType) (names []string) {
	for _, field := range f.Params.List {
		if len(field.Names) == 0 {
			names = append(names, "_")
		}
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// passesOn says whether a function does nothing but call another one with its own parameters.
func passesOn(f *ast.FuncDecl, parameters []string) bool {
	if f.Body == nil || len(f.Body.List) != 1 || len(parameters) == 0 {
		return false
	}
	var called ast.Expr
	switch statement := f.Body.List[0].(type) {
	case *ast.ReturnStmt:
		if len(statement.Results) == 1 {
			called = statement.Results[0]
		}
	case *ast.ExprStmt:
		called = statement.X
	}
	call, ok := called.(*ast.CallExpr)
	if !ok || len(call.Args) != len(parameters) {
		return false
	}
	for i, argument := range call.Args {
		if name, ok := argument.(*ast.Ident); !ok || name.Name != parameters[i] {
			return false
		}
	}
	return true
}

// usesReceiver says whether the body of a method names its receiver.
func usesReceiver(f *ast.FuncDecl) (used bool) {
	if f.Body == nil || len(f.Recv.List[0].Names) == 0 {
		return false
	}
	receiver := f.Recv.List[0].Names[0].Name
	ast.Inspect(f.Body, func(node ast.Node) bool {
		if name, ok := node.(*ast.Ident); ok && name.Name == receiver {
			used = true
		}
		return !used
	})
	return used
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

// row is a line of a list of the largest.
type row struct {
	size int
	name string
}

// largestRows returns the first rows of a list, the largest first.
func largestRows(rows []row) (lines []string) {
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name))
	})
	for _, r := range rows[:min(listed, len(rows))] {
		lines = append(lines, fmt.Sprintf("%6d  %s", r.size, r.name))
	}
	return lines
}

func (m *module) mostLines() []string {
	var rows []row
	for _, p := range m.packages {
		rows = append(rows, row{p.lines(), fmt.Sprintf("%s (%d files)", cmp.Or(p.folder, "(root)"), len(p.files))})
	}
	return largestRows(rows)
}

func (m *module) mostMethods() []string {
	var rows []row
	c := m.count()
	for name, n := range c.methods {
		rows = append(rows, row{n, fmt.Sprintf("%s (%d exported)", name, c.exportedMethods[name])})
	}
	return largestRows(rows)
}

func (m *module) mostParameters() []string {
	var rows []row
	for _, f := range m.count().functions {
		rows = append(rows, row{f.parameters, f.name})
	}
	return largestRows(rows)
}

func (m *module) longestFunctions() []string {
	var rows []row
	for _, f := range m.count().functions {
		rows = append(rows, row{f.lines, f.name})
	}
	return largestRows(rows)
}

func (m *module) mostImports() []string {
	var rows []row
	for _, p := range m.packages {
		rows = append(rows, row{len(p.imports), cmp.Or(p.folder, "(root)")})
	}
	return largestRows(rows)
}
