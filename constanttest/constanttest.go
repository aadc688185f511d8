// Package constanttest compares the constants of a package with literals. Tests of behaviour use the constant itself,
// so they pass whatever its value is. A literal beside them fails when the value changes.
package constanttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Values are constants of the package that is tested, by name: each with its value and the literal it must equal.
type Values map[string][2]any

// Check fails the test unless each number and duration constant of the package in the working directory either equals
// its literal in checked or is named in exempt, with the reason why its value protects nothing.
func Check(t *testing.T, checked Values, exempt map[string]string) {
	t.Helper()
	declared := map[string]bool{}
	for _, name := range Declared(t, ".") {
		declared[name] = true
	}
	named := map[string]bool{}
	for name, pair := range checked {
		named[name] = true
		if !declared[name] {
			t.Errorf("%s is not a constant of a number in this package", name)
		}
		got, want := reflect.ValueOf(pair[0]), reflect.ValueOf(pair[1])
		if !want.CanConvert(got.Type()) || want.Convert(got.Type()).Interface() != pair[0] {
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
	for name := range exempt {
		if !declared[name] {
			t.Errorf("%s is not a constant of a number in this package", name)
		}
		named[name] = true
	}
	for name := range declared {
		if !named[name] {
			t.Errorf("%s has no literal: a test must fail when its value changes", name)
		}
	}
}

// Declared names the constants of numbers and durations in a folder's Go files, tests and generated files left out.
func Declared(t testing.TB, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_templ.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range tree.Decls {
			group, ok := declaration.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				names = append(names, numbers(spec.(*ast.ValueSpec))...)
			}
		}
	}
	return names
}

// numbers names the constants of one line whose values are written with a number.
func numbers(spec *ast.ValueSpec) []string {
	var names []string
	for i, name := range spec.Names {
		if i < len(spec.Values) && IsNumber(spec.Values[i]) {
			names = append(names, name.Name)
		}
	}
	return names
}

// IsNumber says whether an expression is a number or a duration: it has a numeric literal and no text, or it is a
// duration of package time.
func IsNumber(value ast.Expr) bool {
	number, other := false, false
	ast.Inspect(value, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			number = number || n.Kind == token.INT || n.Kind == token.FLOAT
			other = other || n.Kind == token.STRING || n.Kind == token.CHAR
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "time" {
				number = true
			}
		case *ast.CallExpr:
			other = true
		case *ast.Ident:
			other = other || n.Name == "iota"
		}
		return true
	})
	return number && !other
}
