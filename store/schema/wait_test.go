package schema

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jmoiron/sqlx"
)

// recorder is a database that records the statements that it gets.
type recorder struct{ statements []string }

func (r *recorder) Connect(context.Context) (driver.Conn, error) { return r, nil }

func (r *recorder) Driver() driver.Driver { return nil }

func (r *recorder) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }

func (r *recorder) Begin() (driver.Tx, error) { return r, nil }

func (r *recorder) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) { return r, nil }

func (r *recorder) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	r.statements = append(r.statements, query)
	return driver.ResultNoRows, nil
}

func (r *recorder) Commit() error { return nil }

func (r *recorder) Rollback() error { return nil }

func (r *recorder) Close() error { return nil }

func TestMigrationWaitsTwoSecondsForALock(t *testing.T) {
	r := new(recorder)
	pool := sqlx.NewDb(sql.OpenDB(r), "pgx")
	defer func() { _ = pool.Close() }()
	m := migrator{db: Database{Pool: pool}}
	err := m.inTransaction(t.Context(), func(*sqlx.Tx) error { return nil })
	if err != nil || !slices.Contains(r.statements, "SET LOCAL lock_timeout = 2000") {
		t.Errorf("%q, %v", r.statements, err)
	}
}

// While a table is in use, a migration tries once a second, so that the statements that wait can run between.
func TestMigrationTriesOnceASecondForFiveMinutes(t *testing.T) {
	for _, c := range []struct {
		free  time.Duration // when the table is free
		tries int
		want  error
	}{{5 * time.Minute, 301, nil}, {5*time.Minute + time.Second + 1, 302, errRaced}} {
		synctest.Test(t, func(t *testing.T) {
			m := migrator{progress: func(string) {}}
			began, tries := time.Now(), 0
			err := m.untilFree(t.Context(), "ALTER TABLE", func() error {
				if tries++; time.Since(began) < c.free {
					return errRaced
				}
				return nil
			})
			if !errors.Is(err, c.want) || tries != c.tries || time.Since(began) != time.Duration(tries-1)*time.Second {
				t.Errorf("free after %s: %d tries in %s, %v", c.free, tries, time.Since(began), err)
			}
		})
	}
}
