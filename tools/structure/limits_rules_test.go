package structure

import (
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// source is one file of the repository. Its path is relative to the root and has slashes.
type source struct{ path, text string }

// breach is one place that breaks a limit.
type breach struct {
	limit  string // what is broken, as "folder/file: columns"
	place  string // path:line, or the path of a folder
	advice string // what is wrong and what to do about it
}

func (b breach) String() string { return b.place + ": " + b.advice }

const (
	maxColumns = 120
	tabColumns = 4
)

func (s source) isGo() bool { return strings.HasSuffix(s.path, ".go") }

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
func breaches(all []source) []breach {
	found := slices.Concat(columnBreaches(all), commentBreaches(all))
	slices.SortFunc(found, func(a, b breach) int { return strings.Compare(a.String(), b.String()) })
	return found
}
