// Mutation makes each protective number ten times as large, and each database setting weak, and runs the tests of its
// package. It prints the changes that no test notices and exits with 1 if there are any. It changes no file.
//
//	go run ./mutation                      # every package, some two minutes
//	# only tests of behaviour:
//	go run ./mutation -only portal -name CodeLife -skip TestEveryConstantHasItsExpectedValue
//
// The numbers of a package are changed together, because the test that compares them with literals names each one that
// is wrong. With -name, one number is changed and any failing test counts.
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
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"portico/constanttest"
)

// packages are the packages with constants that protect something.
var packages = append(districts("portal", "pages", "store"), "api", "gateway", "server", "config", ".")

// districts are those of the parents and their folders that have a test of their numbers.
func districts(parents ...string) (all []string) {
	for _, parent := range parents {
		for _, pattern := range []string{parent + "/numbers_test.go", parent + "/*/numbers_test.go"} {
			files, _ := filepath.Glob(pattern) // fails only for a wrong pattern
			for _, file := range files {
				all = append(all, filepath.ToSlash(filepath.Dir(file)))
			}
		}
	}
	return all
}

// settings are the database settings, and what each becomes.
var settings = []struct{ file, from, to string }{
	{"store/sqlite.go", "_synchronous=FULL", "_synchronous=OFF"},
	{"store/sqlite.go", "_journal_mode=WAL", "_journal_mode=DELETE"},
	{"store/sqlite.go", "_foreign_keys=on", "_foreign_keys=off"},
	{"store/sqlite.go", "_txlock=immediate", "_txlock=deferred"},
	{"store/sqlite.go", "_busy_timeout=2000", "_busy_timeout=20000"},
	{"store/sqlite.go", "_query_only=1", "_query_only=0"},
	{"store/sqlite.go", "write.SetMaxOpenConns(1)", "write.SetMaxOpenConns(10)"},
	{"store/sqlite.go", "read.SetMaxOpenConns(8)", "read.SetMaxOpenConns(80)"},
	{"store/postgres.go", "opened.SetMaxOpenConns(pool.Max)", "opened.SetMaxOpenConns(10 * pool.Max)"},
}

// mutation is one change: the text from from to to of a file becomes text.
type mutation struct {
	name, folder, file string
	from, to           int
	line               int
	text               string
}

// literalTest is the test that compares the numbers of a package with literals.
const literalTest = "TestEveryConstantHasItsExpectedValue"

func main() {
	only := flag.String("only", "", "one package, like portal")
	name := flag.String("name", "", "one constant or setting")
	run := flag.String("run", "", "with -name: the tests to run, as in go test -run")
	skip := flag.String("skip", "", "with -name: the tests to leave out, as in go test -skip")
	flag.Parse()
	survivors, tried, err := unnoticedMutations(*only, *name, *run, *skip)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
	for _, m := range survivors {
		fmt.Println("survives:", m.folder, m.name)
	}
	fmt.Printf("%d mutations, %d survived\n", tried, len(survivors))
	if len(survivors) > 0 {
		os.Exit(1)
	}
}

func unnoticedMutations(only, name, run, skip string) (all []mutation, tried int, err error) {
	for _, folder := range packages {
		if only != "" && only != folder {
			continue
		}
		numbers, settings, err := mutations(folder)
		if err == nil {
			numbers, err = withoutExempt(folder, numbers)
		}
		if err != nil {
			return nil, 0, err
		}
		if name != "" {
			numbers = append(numbers, settings...)
			settings = slices.DeleteFunc(numbers, func(m mutation) bool { return m.name != name })
			numbers = nil
		}
		tried += len(numbers) + len(settings)
		left, err := notCompared(folder, numbers)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, left...)
		for _, m := range settings {
			out, failed, err := test(folder, []mutation{m}, run, skip)
			if err != nil {
				return nil, 0, err
			}
			if !failed && strings.Contains(out, "no tests to run") {
				return nil, 0, fmt.Errorf("no test of %s is run", folder)
			}
			if !failed {
				all = append(all, m)
			}
		}
	}
	return all, tried, nil
}

// exemptNumber matches the numbers that the test of a package does not compare, which have a reason.
var exemptNumber = regexp.MustCompile(`"(\w+)":\s+"`)

func withoutExempt(folder string, numbers []mutation) ([]mutation, error) {
	source, err := os.ReadFile(filepath.Join(folder, "numbers_test.go"))
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, match := range exemptNumber.FindAllStringSubmatch(string(source), -1) {
		names[match[1]] = true
	}
	return slices.DeleteFunc(numbers, func(m mutation) bool { return names[m.name] }), nil
}

// notCompared changes all numbers of a package and returns those that its test does not name. A change that does not
// compile is noticed by the compiler: the rest is tried again without it.
func notCompared(folder string, numbers []mutation) ([]mutation, error) {
	for len(numbers) > 0 {
		out, failed, err := test(folder, numbers, literalTest, "")
		if err != nil {
			return nil, err
		}
		rest := slices.DeleteFunc(slices.Clone(numbers), func(m mutation) bool {
			return strings.Contains(out, fmt.Sprintf("/%s:%d:", filepath.Base(m.file), m.line))
		})
		if len(rest) == len(numbers) {
			if failed && !strings.Contains(out, "--- FAIL: "+literalTest) {
				return nil, fmt.Errorf("%s did not run:\n%s", literalTest, out)
			}
			return slices.DeleteFunc(rest, func(m mutation) bool { return strings.Contains(out, m.name+" is ") }), nil
		}
		numbers = rest
	}
	return nil, nil
}

// mutations lists the changes of a folder's numbers and, in store, of the database settings.
func mutations(folder string) (numbers, weak []mutation, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_templ.go") {
			continue
		}
		more, err := constants(folder, file)
		if err != nil {
			return nil, nil, err
		}
		numbers = append(numbers, more...)
	}
	if folder != "store" {
		return numbers, nil, nil
	}
	for _, s := range settings {
		source, err := os.ReadFile(s.file)
		if err != nil {
			return nil, nil, err
		}
		from := bytes.Index(source, []byte(s.from))
		if from < 0 {
			return nil, nil, fmt.Errorf("%s does not contain %s", s.file, s.from)
		}
		weak = append(weak, mutation{
			name: s.from, folder: folder, file: s.file, from: from, to: from + len(s.from), text: s.to,
		})
	}
	return numbers, weak, nil
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
				from, to := positions.Position(value.Pos()), positions.Position(value.End())
				all = append(all, mutation{
					name: line.Names[i].Name, folder: folder, file: file, from: from.Offset, to: to.Offset,
					line: from.Line, text: "10 * (" + string(source[from.Offset:to.Offset]) + ")",
				})
			}
		}
	}
	return all, nil
}

// test runs tests of a package with the changes made, in copies of their files. failed says whether a test failed or
// the package did not compile.
func test(folder string, changes []mutation, run, skip string) (out string, failed bool, err error) {
	dir, err := os.MkdirTemp("", "mutation-")
	if err != nil {
		return "", false, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	replaced := map[string]string{}
	for _, file := range slices.Compact(slices.Sorted(fileNames(changes))) {
		content, err := applyChanges(file, changes)
		if err != nil {
			return "", false, err
		}
		path, err := filepath.Abs(file)
		if err != nil {
			return "", false, err
		}
		replaced[path] = filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(replaced[path], content, 0o600); err != nil {
			return "", false, err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", false, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", false, err
	}
	args := []string{"test", "-count=1", "-gcflags=-e", "-overlay", list}
	if run != "" {
		args = append(args, "-run", run)
	}
	if skip != "" {
		args = append(args, "-skip", skip)
	}
	printed, err := exec.Command("go", append(args, "./"+folder)...).CombinedOutput()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return string(printed), true, nil
	}
	return string(printed), false, err
}

func fileNames(changes []mutation) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, m := range changes {
			if !yield(m.file) {
				return
			}
		}
	}
}

// applyChanges returns the content of a file with its changes. It applies the last one first, so that the offsets stay
// right.
func applyChanges(file string, changes []mutation) ([]byte, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for _, m := range slices.Backward(changes) {
		if m.file == file {
			content = slices.Concat(content[:m.from], []byte(m.text), content[m.to:])
		}
	}
	return content, nil
}
