package schema

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// careful is the first version whose migration has to follow the rules of docs/structure.md.
const careful = 13

var (
	constantDefault = regexp.MustCompile(`DEFAULT (-?\d+|'[^']*'|TRUE|FALSE)`)
	addsColumn      = regexp.MustCompile(`^ALTER TABLE \w+ ADD COLUMN \w+ (TEXT|INTEGER|FLAG)\b`)
	changesRows     = regexp.MustCompile(`^(?:UPDATE|DELETE FROM|INSERT INTO) (\w+)\b`)
	removes         = regexp.MustCompile(`^(DROP TABLE \w+$|ALTER TABLE \w+ DROP COLUMN \w+$)`)
)

// The comment above a statement that needs a reason has one of these markers, followed by the reason.
const (
	markerRows    = "-- whole table: "
	markerRemoves = "-- contract: "
)

// troubleOf says which rules of docs/structure.md the statements of a migration break.
func troubleOf(m Migration, text string) []string {
	var all []string
	if !strings.HasPrefix(text, compatibleLine) {
		all = append(all, "the first line does not say "+compatibleLine)
	}
	ownTables := map[string]bool{}
	for _, s := range m.statements {
		if match := createTable.FindStringSubmatch(s.sql); match != nil {
			ownTables[match[1]] = true
		}
		if trouble := troubleOfStatement(s, ownTables); trouble != "" {
			all = append(all, trouble+": "+s.sql)
		}
	}
	return all
}

func troubleOfStatement(s statement, ownTables map[string]bool) string {
	switch {
	case createTable.MatchString(s.sql):
		if !strings.HasSuffix(s.sql, ") STRICT") {
			return "a table is not STRICT"
		}
	case addsColumn.MatchString(s.sql):
		if strings.Contains(s.sql, "NOT NULL") && !constantDefault.MatchString(s.sql) {
			return "a column is NOT NULL without a constant default"
		}
		if regexp.MustCompile(`\b(UNIQUE|CHECK|REFERENCES|PRIMARY KEY)\b`).MatchString(s.sql) {
			return "a column of a used table has a constraint, which reads the whole table under a lock"
		}
		if !constantDefault.MatchString(s.sql) && strings.Contains(s.sql, "DEFAULT") {
			return "a default is not constant"
		}
	case createIndex.MatchString(s.sql), dropIndex.MatchString(s.sql):
	case changesRows.MatchString(s.sql):
		table := changesRows.FindStringSubmatch(s.sql)[1]
		if !ownTables[table] && !strings.Contains("\n"+s.comment, "\n"+markerRows) {
			return "a statement changes rows without " + markerRows
		}
	case removes.MatchString(s.sql):
		if !strings.Contains("\n"+s.comment, "\n"+markerRemoves) {
			return "a statement removes without " + markerRemoves
		}
	default:
		return "this form is not among those that migrations may have"
	}
	return ""
}

func TestNewMigrationsFollowTheRules(t *testing.T) {
	known, err := Own()
	if err != nil || len(known) < careful {
		t.Fatal(len(known), err)
	}
	names, err := fs.Glob(schemaFiles, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range known[careful-1:] {
		text, err := schemaFiles.ReadFile(names[careful-1+i])
		if err != nil {
			t.Fatal(err)
		}
		for _, trouble := range troubleOf(m, string(text)) {
			t.Errorf("%s: %s", names[careful-1+i], trouble)
		}
	}
}

func TestTheRulesOfMigrationsFindWhatBreaksThem(t *testing.T) {
	for _, wrong := range []string{
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL",
		"ALTER TABLE a ADD COLUMN b INTEGER NOT NULL DEFAULT (1 + 1)",
		"ALTER TABLE a ADD COLUMN b INTEGER DEFAULT CURRENT_TIMESTAMP",
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT '' CHECK (b <> 'x')",
		"ALTER TABLE a ADD COLUMN b INTEGER REFERENCES c (id)",
		"ALTER TABLE a ALTER COLUMN b TYPE TEXT",
		"ALTER TABLE a RENAME TO b",
		"ALTER TABLE a DROP COLUMN b",
		"ALTER TABLE a ADD CONSTRAINT b CHECK (c > 0)",
		"DROP TABLE a",
		"UPDATE a SET b = 1",
		"DELETE FROM a",
		"INSERT INTO a (b) SELECT c FROM d",
		"CREATE TABLE a (b TEXT)",
		"CREATE TABLE IF NOT EXISTS a (b TEXT) STRICT",
		"CREATE INDEX IF NOT EXISTS a_by_b ON a (b)",
		"CREATE TRIGGER a AFTER INSERT ON b BEGIN SELECT 1",
		"LOCK TABLE a",
		"VACUUM",
	} {
		m := Migration{version: 14, statements: []statement{{sql: wrong}}}
		if troubles := troubleOf(m, "-- compatible-from: 13\n"); len(troubles) != 1 {
			t.Errorf("%s: %q", wrong, troubles)
		}
	}
	if troubles := troubleOf(Migration{}, "-- About.\n"); len(troubles) != 1 {
		t.Errorf("without the first line: %q", troubles)
	}
	right := `-- compatible-from: 13
CREATE TABLE a (b TEXT PRIMARY KEY, c INTEGER NOT NULL) STRICT;
INSERT INTO a (b, c) SELECT d, 1 FROM e;
CREATE UNIQUE INDEX a_by_c ON a (c);
DROP INDEX e_by_d;
ALTER TABLE e ADD COLUMN f TEXT;
ALTER TABLE e ADD COLUMN g FLAG NOT NULL DEFAULT FALSE;
ALTER TABLE e ADD COLUMN h INTEGER NOT NULL DEFAULT -1;
ALTER TABLE e ADD COLUMN i TEXT NOT NULL DEFAULT 'zh';
-- whole table: a company has one row, so these are few.
UPDATE e SET g = TRUE;
-- Nobody reads it.
-- contract: programs that know version 13 do not read it.
ALTER TABLE e DROP COLUMN j;`
	statements, err := splitStatements(right + "\n")
	if err != nil {
		t.Fatal(err)
	}
	if troubles := troubleOf(Migration{version: 14, statements: statements}, right); len(troubles) > 0 {
		t.Errorf("%q", troubles)
	}
}
