package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/store"
)

// SQLite plans a query that joins tables anew for each value beside a column, unless the store hides the values. The
// least time of many tries does not depend on what else the machine does, and to plan a join of this many tables takes
// many times as long as to run it, also under the race detector.
func TestAStatementIsNotPlannedAnewForEachValue(t *testing.T) {
	db, path := migratedFile(t)
	raw, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	query := `SELECT c.id, c.name, c.theme, c.standing, c.created_at FROM accounts a
		JOIN companies c ON c.id = a.company_id`
	for i := range 10 {
		query += fmt.Sprintf(" JOIN clients k%d ON k%d.id = a.client_id AND k%d.company_id = c.id", i, i, i)
	}
	query += " WHERE a.id = ? AND k0.state = ''"
	visible, err := raw.Prepare(query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = visible.Close() }()
	least := func(read func(id int) error) time.Duration {
		fastest := time.Hour
		for i := range 60 {
			began := time.Now()
			if err := read(i); err != nil {
				t.Fatal(err)
			}
			fastest = min(fastest, time.Since(began))
		}
		return fastest
	}
	planned := least(func(id int) error {
		rows, err := visible.Query(id)
		if err != nil {
			return err
		}
		rows.Next()
		return errors.Join(rows.Err(), rows.Close())
	})
	ours := least(func(id int) error { var found []store.Company; return db.ReadRows(t.Context(), &found, query, id) })
	if ours > planned/2 {
		t.Errorf("a statement takes %s, and %s when it is planned anew", ours, planned)
	}
}
