package command

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portico/e2e/testscope"
	"portico/portal/access"
	"portico/portal/onboarding"
)

// logged is what the source of the program writes to the log.
type logged struct {
	lines  map[string]map[string]bool // levels by msg
	events map[string]bool
	names  map[string]bool // of attributes
}

// notInTheProgram are folders whose code does not run in the program.
var notInTheProgram = []string{
	".git", "node_modules", "bin", "data", "coverage", "dist", "assets/dist",
	"e2e", "tools", "deploy", "islands", "docs",
}

// readLogged reads the source. It fails the test for lines that do not have the one shape.
func readLogged(t *testing.T) logged {
	t.Helper()
	found := logged{map[string]map[string]bool{}, map[string]bool{}, map[string]bool{}}
	err := fs.WalkDir(os.DirFS(testscope.Root()), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(notInTheProgram, path) || strings.HasPrefix(path, "portal/portaltest")):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, testscope.File(path), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				found.readCall(t, files.Position(call.Pos()).String(), call)
			}
			if set, ok := n.(*ast.AssignStmt); ok && strings.HasPrefix(path, "portal/") {
				found.readEventVariable(set)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kinds := range access.AuditKinds {
		for _, kind := range kinds {
			found.events[kind] = true
		}
	}
	return found
}

// readEventVariable notes the values of variables with the name event, which LogSecurity gets.
func (l *logged) readEventVariable(set *ast.AssignStmt) {
	for i, left := range set.Lhs {
		if name, ok := left.(*ast.Ident); ok && name.Name == "event" && i < len(set.Rhs) {
			if value, ok := literal(set.Rhs[i]); ok {
				l.events[value] = true
			}
		}
	}
}

var levelMethods = map[string]string{"Debug": "DEBUG", "Info": "INFO", "Warn": "WARN", "Error": "ERROR"}

func (l *logged) readCall(t *testing.T, at string, call *ast.CallExpr) {
	t.Helper()
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	method := strings.TrimSuffix(function.Sel.Name, "Context")
	switch owner := lastName(function.X); {
	case owner == "slog":
		l.readAttribute(t, at, function.Sel.Name, call)
	case method == "LogAttrs":
		l.note(t, at, call.Args[2], levelOf(call.Args[1]))
	case levelMethods[method] != "" && slices.Contains([]string{"log", "Log", "New", "newLog"}, owner):
		args := call.Args
		if method != function.Sel.Name {
			args = args[1:]
		}
		l.note(t, at, args[0], levelMethods[method])
		for _, arg := range args[1:] {
			if c, ok := arg.(*ast.CallExpr); !ok || !isAttribute(c) {
				t.Errorf("%s: write attributes as slog.String(…) and so on", at)
			}
		}
	case method == "LogSecurity" || method == "LogEvent" || method == "LogAudit":
		index := map[string]int{"LogSecurity": 2, "LogEvent": 0, "LogAudit": 1}[method]
		if value, ok := literal(call.Args[index]); ok {
			l.events[value] = true
		}
	}
}

func isAttribute(call *ast.CallExpr) bool {
	if function, ok := call.Fun.(*ast.SelectorExpr); ok {
		return lastName(function.X) == "slog"
	}
	return lastName(call.Fun) == "milliseconds"
}

func (l *logged) readAttribute(t *testing.T, at, kind string, call *ast.CallExpr) {
	t.Helper()
	switch kind {
	case "Duration", "Group", "Time", "GroupAttrs":
		t.Errorf("%s: slog.%s breaks the shape: durations are numbers of milliseconds, and lines are flat", at, kind)
	case "String", "Int", "Int64", "Uint64", "Float64", "Bool", "Any":
		if name, ok := literal(call.Args[0]); ok {
			l.names[name] = true
		} else {
			t.Errorf("%s: the name of an attribute must be a literal", at)
		}
	}
}

func (l *logged) note(t *testing.T, at string, message ast.Expr, level string) {
	t.Helper()
	text, ok := literal(message)
	if !ok {
		if strings.Contains(at, "portal/access/") || strings.Contains(at, "server/log.go") {
			return
		}
		t.Errorf("%s: the message must be a literal; put what varies into an attribute", at)
		return
	}
	if l.lines[text] == nil {
		l.lines[text] = map[string]bool{}
	}
	l.lines[text][level] = true
}

func levelOf(e ast.Expr) string {
	name := strings.TrimPrefix(strings.TrimPrefix(lastName(e), "Level"), "Log")
	return levelMethods[name]
}

func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr:
		return lastName(e.Fun)
	}
	return ""
}

func literal(e ast.Expr) (string, bool) {
	basic, ok := e.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(basic.Value)
	return text, err == nil
}

// documentedRows returns the first and second columns of the table below a heading of docs/logs.md.
func documentedRows(t *testing.T, heading string) map[string]string {
	t.Helper()
	_, section, ok := strings.Cut(readText(t, "docs/logs.md"), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("docs/logs.md has no heading %s", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| ([^|]*) \\|").FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			rows[name[1]] = strings.TrimSpace(row[2])
		}
	}
	return rows
}

func TestEveryLineOfTheLogIsDocumented(t *testing.T) {
	found := readLogged(t)
	if len(found.lines) < 30 || len(found.events) < 60 {
		t.Fatalf("%d lines and %d events", len(found.lines), len(found.events))
	}
	lines := documentedRows(t, "Lines")
	for text, levels := range found.lines {
		want := strings.Join(slices.Sorted(maps.Keys(levels)), ", ")
		if got, ok := lines[text]; !ok || want != "" && got != want {
			t.Errorf("%q, level %s: docs/logs.md says %q", text, want, got)
		}
		delete(lines, text)
	}
	for text := range lines {
		if text != "security" { // written with the level of the event
			t.Errorf("docs/logs.md has %q, which nothing writes", text)
		}
	}
	compareNames(t, "event", found.events, documentedRows(t, "Events"))
	for _, name := range []string{"time", "level", "msg"} { // slog writes these
		found.names[name] = true
	}
	compareNames(t, "attribute", found.names, documentedRows(t, "Attributes"))
}

func compareNames(t *testing.T, what string, found map[string]bool, documented map[string]string) {
	t.Helper()
	for name := range found {
		if _, ok := documented[name]; !ok {
			t.Errorf("docs/logs.md does not have the %s %q", what, name)
		}
	}
	for name := range documented {
		if !found[name] {
			t.Errorf("docs/logs.md has the %s %q, which nothing writes", what, name)
		}
	}
}

// Programs that read the log need no special case for a line.
func TestLinesOfTheLogAreFlatWithDocumentedNames(t *testing.T) {
	s, written, _, stop := tracedServer(t)
	defer stop()
	sendForm(s, "/login", url.Values{"phone": {"13800000001"}, "password": {onboarding.DemoPassword}})
	for range 8 {
		sendForm(s, "/login", url.Values{"phone": {"13800000002"}, "password": {"wrong-password"}})
	}
	request(s, "GET", "http://account.localhost:8080/nothing")
	request(s, "GET", "http://localhost:8080/livez")
	names := documentedRows(t, "Attributes")
	for line := range strings.Lines(written.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for _, name := range []string{"time", "level", "msg"} {
			if text, _ := entry[name].(string); text == "" {
				t.Errorf("no %s: %s", name, line)
			}
		}
		for name, value := range entry {
			if _, ok := names[name]; !ok {
				t.Errorf("%s is not documented: %s", name, line)
			}
			switch value.(type) {
			case map[string]any, []any:
				t.Errorf("%s is not flat: %s", name, line)
			}
			if _, isNumber := value.(float64); (name == "ms" || strings.HasSuffix(name, "_ms")) && !isNumber {
				t.Errorf("%s is not a number: %s", name, line)
			}
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(testscope.File(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
