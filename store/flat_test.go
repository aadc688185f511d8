package store

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/store/schema"
)

// boundedOffsets are the files whose statements skip a bounded number of rows.
var boundedOffsets = []string{"auditsearch.go"} // a step of a search reads at most AuditSearched events

// A statement with OFFSET reads every row that it skips. Lists continue after the last row that was shown.
func TestNoStatementSkipsRowsByTheirNumber(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	offset := regexp.MustCompile(`\bOFFSET\b`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		isBounded := slices.Contains(boundedOffsets, name)
		if !strings.HasSuffix(name, "_test.go") && offset.Match(text) != isBounded {
			t.Errorf("%s: a statement with OFFSET: %t, wanted: %t", name, !isBounded, isBounded)
		}
	}
}

// When a row is removed, a database without such an index reads the whole referring table.
func TestEveryReferenceToAnotherTableHasAnIndex(t *testing.T) {
	db := migratedFile(t)
	seen := 0
	for _, table := range schema.Tables {
		var from, first []string
		const references = `SELECT "from" FROM pragma_foreign_key_list(?)`
		const indexes = `SELECT c.name FROM pragma_index_list(?) i, pragma_index_info(i.name) c
			WHERE c.seqno = 0 AND i.partial = 0 UNION ALL SELECT name FROM pragma_table_info(?) WHERE pk = 1`
		if err := db.list(t.Context(), &from, references, table); err != nil {
			t.Fatal(err)
		}
		if err := db.list(t.Context(), &first, indexes, table, table); err != nil {
			t.Fatal(err)
		}
		for _, column := range from {
			seen++
			if !slices.Contains(first, column) {
				t.Errorf("%s.%s refers to another table and no index begins with it", table, column)
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d references", seen)
	}
}

func migratedFile(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "portico.db"))
	if err == nil {
		t.Cleanup(func() { _ = db.Close() })
		err = db.Migrate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return db
}
