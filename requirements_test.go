package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// acceptanceRow is a row of a table of docs/acceptance.md: what was asked, where it is met, and the tests.
type acceptanceRow struct {
	section             string
	asked, where, tests string
}

func (r acceptanceRow) String() string { return r.section + ": " + r.asked }

// acceptanceRows reads the tables of docs/acceptance.md.
func acceptanceRows(t *testing.T) (rows []acceptanceRow) {
	t.Helper()
	section := ""
	for line := range strings.Lines(readText(t, "docs/acceptance.md")) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = title
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| What was asked |") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 {
			t.Errorf("%d cells: %s", len(cells), line)
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, acceptanceRow{section, cells[0], cells[1], cells[2]})
	}
	return rows
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

var codeSpans = regexp.MustCompile("`([^`]+)`")

// spans returns what a cell has between backticks.
func spans(cell string) (all []string) {
	for _, span := range codeSpans.FindAllStringSubmatch(cell, -1) {
		all = append(all, span[1])
	}
	return all
}

func TestEverySentenceHasAPlaceAndATest(t *testing.T) {
	rows := acceptanceRows(t)
	sections := map[string]int{}
	for _, row := range rows {
		sections[row.section[:1]]++
		if strings.Contains(row.asked+row.where+row.tests, "TODO") {
			t.Errorf("%s: not finished", row)
		}
		if strings.Contains(strings.ToLower(row.asked+row.where+row.tests), "partly") {
			t.Errorf("%s: it is met, or it is decided otherwise, never in part", row)
		}
		if len(row.where) < 3 || len(spans(row.tests)) == 0 {
			t.Errorf("%s: no place or no test", row)
		}
		if strings.HasPrefix(row.asked, "Decided otherwise:") && !slices.ContainsFunc(spans(row.asked), isFile) {
			t.Errorf("%s: no document says so", row)
		}
	}
	for _, section := range strings.Split("123456789", "") {
		if sections[section] < 15 {
			t.Errorf("section %s has %d rows", section, sections[section])
		}
	}
}

// fileName is the name of a file in this repository, from its top folder.
var fileName = regexp.MustCompile(`^[\w/.-]+\.(go|templ|ts|tsx|md|json|css|sql)$`)

func isFile(span string) bool { return fileName.MatchString(span) }

func TestEveryPlaceInTheAcceptanceListExists(t *testing.T) {
	name := regexp.MustCompile(`^\w+$`)
	for _, row := range acceptanceRows(t) {
		file, text := "", ""
		for _, span := range append(spans(row.asked), spans(row.where)...) {
			switch {
			case isFile(span):
				file, text = span, readText(t, span)
			case name.MatchString(span) && file != "" && !regexp.MustCompile(`\b`+span+`\b`).MatchString(text):
				t.Errorf("%s: no %s in %s", row, span, file)
			}
		}
	}
}

func TestEveryTestInTheAcceptanceListExists(t *testing.T) {
	texts := map[string]string{}
	for _, row := range acceptanceRows(t) {
		for _, span := range spans(row.tests) {
			place, title, ok := strings.Cut(span, ": ")
			if !ok {
				t.Errorf("%s: %q names no test", row, span)
				continue
			}
			if _, known := texts[place]; !known {
				texts[place] = testsIn(t, place)
			}
			if !hasTest(texts[place], place, title) {
				t.Errorf("%s: %s has no test %s", row, place, title)
			}
		}
	}
}

// testsIn returns the tests of a package's folder, "main" for the top one, or the text of a TypeScript file.
func testsIn(t *testing.T, place string) string {
	t.Helper()
	if isFile(place) {
		return readText(t, place)
	}
	if place == "main" {
		place = "."
	}
	files, err := filepath.Glob(filepath.Join(place, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s has no tests: %v", place, err)
	}
	var all strings.Builder
	for _, file := range files {
		all.WriteString(readText(t, file))
	}
	return all.String()
}

// hasTest says whether a text of testsIn has the test. A title in TypeScript stands between quotes.
func hasTest(text, place, title string) bool {
	if !isFile(place) {
		return strings.Contains(text, "\nfunc "+title+"(t *testing.T) {")
	}
	title = strings.Trim(title, `"`)
	return strings.Contains(text, "'"+title+"'") || strings.Contains(text, `"`+title+`"`)
}

func TestTheAcceptanceListNamesEveryCallAndRoute(t *testing.T) {
	page := readText(t, "docs/acceptance.md")
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
