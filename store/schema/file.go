package schema

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A step is one statement of a migration in the dialect of its database.
type step struct {
	sql    string
	effect string // on other users of the database while it runs
	index  string // the index that it builds or drops outside a transaction, without blocking writes
	drops  bool
}

// The statements of migrations that are not simply run. A test holds the files to these forms.
var (
	createTable = regexp.MustCompile(`^CREATE TABLE (\w+) \(`)
	createIndex = regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX (\w+)\s+ON (\w+)\s`)
	dropIndex   = regexp.MustCompile(`^DROP INDEX (\w+)$`)
	alterTable  = regexp.MustCompile(`^ALTER TABLE (\w+)\s`)
)

const (
	effectNone  = "does not block"
	effectTable = "locks the table for a moment"
	effectRefer = "locks the tables that it refers to for a moment"
	effectRows  = "locks the rows that it changes"
	effectFile  = "blocks other writes until its version is complete"
)

func (m Migration) steps(postgres bool) []step {
	steps := make([]step, len(m.statements))
	ownTables := map[string]bool{} // nobody uses them yet
	for i, s := range m.statements {
		steps[i] = step{sql: dialect(s.sql, postgres), effect: effectFile}
		if postgres {
			steps[i] = postgresStep(steps[i].sql, ownTables)
		}
	}
	return steps
}

// Statements returns the statements of the migration in the dialect of a database, in order.
func (m Migration) Statements(postgres bool) []string {
	var all []string
	for _, s := range m.steps(postgres) {
		all = append(all, s.sql)
	}
	return all
}

func postgresStep(statement string, ownTables map[string]bool) step {
	if match := createTable.FindStringSubmatch(statement); match != nil {
		ownTables[match[1]] = true
		if strings.Contains(statement, "REFERENCES") {
			return step{sql: statement, effect: effectRefer}
		}
		return step{sql: statement, effect: effectNone}
	}
	if match := createIndex.FindStringSubmatch(statement); match != nil {
		if ownTables[match[2]] {
			return step{sql: statement, effect: effectNone}
		}
		concurrent := strings.Replace(statement, "INDEX", "INDEX CONCURRENTLY", 1)
		return step{sql: concurrent, effect: effectNone, index: match[1]}
	}
	if match := dropIndex.FindStringSubmatch(statement); match != nil {
		concurrent := "DROP INDEX CONCURRENTLY IF EXISTS " + match[1]
		return step{sql: concurrent, effect: effectNone, index: match[1], drops: true}
	}
	if alterTable.MatchString(statement) {
		return step{sql: statement, effect: effectTable}
	}
	return step{sql: statement, effect: effectRows}
}

//go:embed *.sql
var schemaFiles embed.FS

// A Migration is one file of this folder, and brings the database to its version.
type Migration struct {
	version        int
	name           string // of the file, without its number
	compatibleFrom int    // the oldest version that a program must know to work with this schema
	statements     []statement
}

// A migration's file begins with this line when programs that only know an earlier version can work with the result.
const compatibleLine = "-- compatible-from: "

// Own returns the migrations of this program, in order.
var Own = sync.OnceValues(func() ([]Migration, error) { return Read(schemaFiles) })

// Read returns the migrations of the .sql files of a folder, in order. Their versions have to be 1, 2, 3 ...
func Read(files fs.FS) ([]Migration, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	all := make([]Migration, len(names)) // Glob returns them in order
	for i, file := range names {
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, err
		}
		number, name, _ := strings.Cut(strings.TrimSuffix(file, ".sql"), "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("store: %s: migrations are numbered without gaps from 0001", file)
		}
		all[i] = Migration{version: i + 1, name: name}
		if all[i].compatibleFrom, err = compatibleFrom(string(text), i+1); err == nil {
			all[i].statements, err = splitStatements(string(text))
		}
		if err != nil {
			return nil, fmt.Errorf("store: %s: %w", file, err)
		}
	}
	return all, nil
}

// compatibleFrom reads the first line of a migration. Without the line, a program must know the migration itself.
func compatibleFrom(text string, version int) (int, error) {
	if !strings.Contains(text, strings.TrimSpace(compatibleLine)) {
		return version, nil
	}
	line, _, _ := strings.Cut(text, "\n")
	number, ok := strings.CutPrefix(line, compatibleLine)
	from, err := strconv.Atoi(number)
	if !ok || err != nil || strconv.Itoa(from) != number || from < 1 || from > version {
		return 0, fmt.Errorf("the first line must be %q and a version from 1 to %d", compatibleLine, version)
	}
	return from, nil
}

// statement is one statement of a migration, without its semicolon. comment is the text above it.
type statement struct {
	sql, comment string
}

var (
	errNoSemicolon = errors.New("the last statement does not end with a semicolon")
	errNotClosed   = errors.New("a string, a quoted name or a comment does not end")
)

// splitStatements splits the text of a migration at its semicolons. A semicolon in a string, a quoted name or a comment
// ends no statement.
func splitStatements(text string) ([]statement, error) {
	var all []statement
	// above is where the comments above the statement begin. begin is where the statement does, -1 before its first
	// word.
	above, begin := 0, -1
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "--"):
			i += lengthUntil(rest, "\n", 2)
		case strings.HasPrefix(rest, "/*"):
			length := lengthUntil(rest, "*/", 2)
			if !strings.HasSuffix(rest[2:length], "*/") {
				return nil, errNotClosed
			}
			i += length
		case rest[0] == ';':
			if begin < 0 {
				return nil, errors.New("there is nothing before a semicolon")
			}
			all = append(all, statement{text[begin:i], strings.TrimSpace(text[above:begin])})
			i++
			above, begin = i, -1
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			i++
		default:
			if begin < 0 {
				begin = i
			}
			if rest[0] != '\'' && rest[0] != '"' {
				i++
				continue
			}
			// A doubled quote stands for a quote in a string. It is read here as the end of one string and the start of
			// the next, which splits at the same semicolons.
			length := lengthUntil(rest, rest[:1], 1)
			if length == 1 || rest[length-1] != rest[0] {
				return nil, errNotClosed
			}
			i += length
		}
	}
	if begin >= 0 {
		return nil, errNoSemicolon
	}
	return all, nil
}

// lengthUntil returns how many bytes of text there are up to the end of the first mark that follows after bytes, or all
// of them when there is no mark.
func lengthUntil(text, mark string, after int) int {
	at := strings.Index(text[after:], mark)
	if at < 0 {
		return len(text)
	}
	return after + at + len(mark)
}

var (
	integerWord = regexp.MustCompile(`\bINTEGER\b`)
	flagWord    = regexp.MustCompile(`\bFLAG\b`)
)

// dialect translates a statement of a schema file into the SQL of its database.
func dialect(schema string, postgres bool) string {
	if !postgres {
		return flagWord.ReplaceAllString(schema, "INTEGER")
	}
	schema = strings.ReplaceAll(schema, "INTEGER PRIMARY KEY", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")
	schema = integerWord.ReplaceAllString(schema, "BIGINT")
	schema = flagWord.ReplaceAllString(schema, "BOOLEAN")
	schema = strings.ReplaceAll(schema, "COLLATE BINARY", `COLLATE "C"`)
	if strings.HasSuffix(schema, ") STRICT") {
		schema = strings.TrimSuffix(schema, " STRICT")
	}
	return schema
}
