package store_test

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"portico/store"
)

// SQLite plans a query that joins tables anew for each value beside a column, unless the store hides the values. The
// least time of many tries does not depend on what else the machine does.
func TestAStatementIsNotPlannedAnewForEachValue(t *testing.T) {
	db, path := migratedFile(t)
	raw, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	const query = `SELECT c.id, c.name, c.theme, c.standing, c.created_at FROM accounts a
		JOIN companies c ON c.id = a.company_id
		LEFT JOIN clients k ON k.id = a.client_id AND k.company_id = a.company_id
		WHERE a.id = ? AND k.state = ''`
	visible, err := raw.Prepare(query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = visible.Close() }()
	least := func(read func(id int) error) time.Duration {
		fastest := time.Hour
		for i := range 2000 {
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
