package pool

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// sqliteWriter is SQLite, and keeps in memory what is needed to undo a statement. By default, SQLite writes this to a
// file in the system's folder for temporary files, from the first statement of a transaction on that changes more than
// 64 kB of pages: an account is inserted into eighteen indexes. Such a file takes a third of the time of a transaction
// like the loading of the demo data, holds rows where nobody expects them, and fails where that folder is read-only.
const sqliteWriter = "sqlite3 writer"

// writerWait is how many milliseconds the writer waits at a time for another process that writes. SQLite does not look
// at the context while it waits, so that a longer wait outlives the time of a request. The store tries again.
const writerWait = 100

func init() {
	sql.Register(sqliteWriter, &sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		_, err := conn.Exec(fmt.Sprint("PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = ", writerWait), nil)
		return err
	}})
}

// SQLiteWriter opens the one connection that writes to a SQLite database. source is what the driver opens.
func SQLiteWriter(ctx context.Context, source string) (*sqlx.DB, error) {
	opened, err := sql.Open(sqliteWriter, source)
	if err != nil {
		return nil, err
	}
	opened.SetMaxOpenConns(1)
	if err := opened.PingContext(ctx); err != nil {
		_ = opened.Close()
		return nil, err
	}
	return sqlx.NewDb(opened, "sqlite3"), nil
}
