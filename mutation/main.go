// Mutation makes each protective number ten times as large, or a database setting weak, one at a time, and runs the
// tests of its package. It prints the ones that no test notices and exits with 1 if there are any. It changes no file.
//
//	go run ./mutation                     # every package, about half an hour
//	go run ./mutation -only portal -run 'TestEveryNumber'
//	go run ./mutation -only portal -skip TestEveryNumberHasItsLiteral -name CodeLife   # by behaviour alone
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"portico/constanttest"
)

// folders are the packages with constants that protect something.
var folders = []string{"portal", "store", "pages", "api", "gateway", "."}

// settings are the database settings, and what each becomes.
var settings = []struct{ file, from, to string }{
	{"store/store.go", "_synchronous=FULL", "_synchronous=OFF"},
	{"store/store.go", "_journal_mode=WAL", "_journal_mode=DELETE"},
	{"store/store.go", "_foreign_keys=on", "_foreign_keys=off"},
	{"store/store.go", "_txlock=immediate", "_txlock=deferred"},
	{"store/store.go", "_busy_timeout=2000", "_busy_timeout=20000"},
	{"store/store.go", "_query_only=1", "_query_only=0"},
	{"store/store.go", "write.SetMaxOpenConns(1)", "write.SetMaxOpenConns(10)"},
	{"store/store.go", "read.SetMaxOpenConns(8)", "read.SetMaxOpenConns(80)"},
	{"store/store.go", "pool.SetMaxOpenConns(16)", "pool.SetMaxOpenConns(160)"},
}

// mutation is one change to one file.
type mutation struct {
	name, folder, file string
	content            []byte
}

func main() {
	only := flag.String("only", "", "one package, like portal")
	name := flag.String("name", "", "one constant")
	run := flag.String("run", "TestEveryNumberHasItsLiteral|TestDatabaseSettings", "the tests to run, as in go test -run")
	skip := flag.String("skip", "", "the tests to leave out, as in go test -skip")
	flag.Parse()
	if *skip != "" {
		*run = ""
	}
	all, err := mutations()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
	survived, tried := 0, 0
	for _, m := range all {
		if *only != "" && m.folder != *only || *name != "" && m.name != *name {
			continue
		}
		tried++
		noticed, err := test(m, *run, *skip)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutation:", err)
			os.Exit(1)
		}
		if !noticed {
			survived++
			fmt.Println("survives:", m.folder, m.name)
		}
	}
	fmt.Printf("%d mutations, %d survived\n", tried, survived)
	if survived > 0 {
		os.Exit(1)
	}
}

// mutations lists every change.
func mutations() ([]mutation, error) {
	var all []mutation
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_templ.go") {
				continue
			}
			more, err := constants(folder, file)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	for _, s := range settings {
		source, err := os.ReadFile(s.file)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(source, []byte(s.from)) {
			return nil, fmt.Errorf("%s does not contain %s", s.file, s.from)
		}
		all = append(all, mutation{s.from, "store", s.file, bytes.Replace(source, []byte(s.from), []byte(s.to), 1)})
	}
	return all, nil
}

// constants lists the changes of one file's constants.
func constants(folder, file string) ([]mutation, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	positions := token.NewFileSet()
	tree, err := parser.ParseFile(positions, file, source, 0)
	if err != nil {
		return nil, err
	}
	var all []mutation
	for _, declaration := range tree.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			line := spec.(*ast.ValueSpec)
			for i, value := range line.Values {
				if !constanttest.IsNumber(value) {
					continue
				}
				from, to := positions.Position(value.Pos()).Offset, positions.Position(value.End()).Offset
				changed := string(source[:from]) + "10 * (" + string(source[from:to]) + ")" + string(source[to:])
				all = append(all, mutation{line.Names[i].Name, folder, file, []byte(changed)})
			}
		}
	}
	return all, nil
}

// test runs the tests of a package with one file replaced. A program that does not compile or a failing test is a
// change that was noticed.
func test(m mutation, run, skip string) (noticed bool, err error) {
	dir, err := os.MkdirTemp("", "mutation-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	changed := filepath.Join(dir, filepath.Base(m.file))
	if err := os.WriteFile(changed, m.content, 0o600); err != nil {
		return false, err
	}
	path, err := filepath.Abs(m.file)
	if err != nil {
		return false, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err != nil {
		return false, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return false, err
	}
	args := []string{"test", "-count=1", "-overlay", list}
	if run != "" {
		args = append(args, "-run", run)
	}
	if skip != "" {
		args = append(args, "-skip", skip)
	}
	out, err := exec.Command("go", append(args, "./"+m.folder)...).CombinedOutput()
	failed := new(exec.ExitError)
	if err != nil && !errors.As(err, &failed) {
		return false, err
	}
	if err == nil && bytes.Contains(out, []byte("no tests to run")) {
		return false, fmt.Errorf("no test of %s matches %q", m.folder, run)
	}
	return err != nil, nil
}
