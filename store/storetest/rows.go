package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"portico/store"
	"portico/store/schema"
)

// Load fills a new database with rows that many tests need. key names the rows: for the same key, load must make the
// same ones, in tables that are empty. On SQLite it is called once for each key, and further databases get copies of
// its rows, which takes a quarter of the time. On Postgres, and where one of these tables has rows already, it is
// called each time. Load fails the test when the rows cannot be loaded.
func Load(t testing.TB, db *store.DB, key string, load func() error) {
	t.Helper()
	address, _ := addresses.Load(db)
	var err error
	if path, sqlite := strings.CutPrefix(fmt.Sprint(address), "sqlite:"); sqlite {
		kept, _ := loaded.LoadOrStore(key, new(loadedRows))
		err = kept.(*loadedRows).fill(t.Context(), path, load)
	} else {
		err = load()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// loaded has the rows of Load, by key: string → *loadedRows.
var loaded sync.Map

// loadedRows are the rows that a function loads, as statements that insert them.
type loadedRows struct {
	once    sync.Once
	err     error
	inserts []string // one for each table that has rows
	empty   string   // a query: is each of these tables empty?
}

// fill inserts the rows into the database of a file. The first time it calls load, and reads what load has inserted.
func (r *loadedRows) fill(ctx context.Context, path string, load func() error) (err error) {
	file, err := sql.Open("sqlite3", sourceOf(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	first := false
	r.once.Do(func() {
		first = true
		r.err = r.read(ctx, file, load)
	})
	if first || r.err != nil {
		return r.err
	}
	var empty bool
	if err := file.QueryRowContext(ctx, r.empty).Scan(&empty); err != nil {
		return err
	}
	if !empty {
		return load()
	}
	tx, err := file.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, insert := range r.inserts {
		if _, err := tx.ExecContext(ctx, insert); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// read calls load and reads the rows of the tables that were empty before.
func (r *loadedRows) read(ctx context.Context, file *sql.DB, load func() error) error {
	before, err := insertsOf(ctx, file)
	if err != nil {
		return err
	}
	if err := load(); err != nil {
		return err
	}
	after, err := insertsOf(ctx, file)
	if err != nil {
		return err
	}
	r.empty = "SELECT TRUE"
	for _, table := range schema.Tables {
		if after[table] != "" && before[table] == "" {
			r.inserts = append(r.inserts, after[table])
			r.empty += " AND NOT EXISTS (SELECT 1 FROM " + table + ")"
		}
	}
	return nil
}

// insertsOf returns, for each table that has rows, a statement that inserts them.
func insertsOf(ctx context.Context, file *sql.DB) (map[string]string, error) {
	inserts := map[string]string{}
	for _, table := range schema.Tables {
		var row string // an expression that is a row as SQL
		var all sql.NullString
		err := file.QueryRowContext(ctx,
			`SELECT group_concat('quote(' || name || ')', ' || '','' || ') FROM pragma_table_info(?)`, table).Scan(&row)
		if err == nil {
			err = file.QueryRowContext(ctx,
				fmt.Sprintf(`SELECT group_concat('(' || %s || ')') FROM %s`, row, table)).Scan(&all)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		if all.Valid {
			inserts[table] = fmt.Sprintf("INSERT INTO %s VALUES %s", table, all.String)
		}
	}
	return inserts, nil
}
