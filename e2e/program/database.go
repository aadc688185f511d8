package program

import (
	"context"
	"database/sql"
	"testing"

	"portico/store"
)

// Database opens the database of the running server, so that a test can change it. A change waits up to a minute for
// what the server writes: other tests keep it busy.
func (s *Server) Database(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), "sqlite:"+s.DatabaseFile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ChangeRows(t.Context(), "PRAGMA busy_timeout = 60000"); err != nil {
		t.Fatal(err)
	}
	return db
}

// Count runs a query on the database of the running server and returns the number that it selects.
func (s *Server) Count(t *testing.T, query string, args ...any) int {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+s.DatabaseFile+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var n int
	if err := db.QueryRow(query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
