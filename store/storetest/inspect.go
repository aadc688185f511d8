package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"portico/store"
	"portico/store/schema"
)

// reader returns the connections on which a database reads.
func reader(db *store.DB) *sql.DB {
	pools := db.Pools()
	if pool := pools["read"]; pool != nil {
		return pool
	}
	return pools["requests"]
}

// RowCounts returns the number of rows of every table, as text that tests compare: " table=3 " for each, by name. It
// leaves out page_views, which a running program writes in the background.
func RowCounts(ctx context.Context, db *store.DB) (string, error) {
	var counts []string
	for _, table := range schema.Tables {
		if table != "page_views" {
			counts = append(counts, fmt.Sprintf("SELECT '%s', COUNT(*) FROM %s", table, table))
		}
	}
	rows, err := reader(db).QueryContext(ctx, strings.Join(counts, " UNION ALL ")+" ORDER BY 1")
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	var all strings.Builder
	all.WriteString(" ")
	for rows.Next() {
		var table string
		var n int
		if err := rows.Scan(&table, &n); err != nil {
			return "", err
		}
		fmt.Fprintf(&all, "%s=%d ", table, n)
	}
	return all.String(), rows.Err()
}

// Dump returns every value of every table as text. Tests search it for secrets that must not be stored.
func Dump(ctx context.Context, db *store.DB) (string, error) {
	var all strings.Builder
	for _, table := range schema.Tables {
		rows, err := sqlx.NewDb(reader(db), "").QueryxContext(ctx, "SELECT * FROM "+table)
		if err != nil {
			return "", err
		}
		for rows.Next() {
			values, err := rows.SliceScan()
			if err != nil {
				_ = rows.Close()
				return "", err
			}
			fmt.Fprintln(&all, table, values)
		}
		if err := rows.Close(); err != nil {
			return "", err
		}
	}
	return all.String(), nil
}
