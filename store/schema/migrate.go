package schema

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mattn/go-sqlite3"
)

const (
	// LockTime is how long a statement of a migration waits for a lock on Postgres. While it waits, all other
	// statements that need the table wait behind it, so it gives up and tries again.
	LockTime = 2 * time.Second
	// Pause is the time between two tries, in which the statements that waited run.
	Pause = time.Second
	// Patience is how long a statement is tried before the migration fails.
	Patience = 5 * time.Minute
)

// Migrate brings the schema to this program's version, one process at a time. It can run again at any moment, and
// completes a migration that was killed. When the schema is newer, it does nothing if the schema is compatible, and
// else returns ErrNewer. It reports what it has done and what it waits for to progress, in lines for people.
//
// Tests give reached: it is called before and after each statement is noted, with "13.1 executed" and "13.1 noted", and
// an error of it stops the migration there, like a process that dies. nil calls nothing.
func (db Database) Migrate(ctx context.Context, progress func(line string), reached func(point string) error) error {
	if reached == nil {
		reached = func(string) error { return nil }
	}
	m := migrator{db: db, progress: progress, reached: reached}
	return m.run(ctx)
}

type migrator struct {
	db       Database
	progress func(line string)
	reached  func(point string) error
}

func (m *migrator) run(ctx context.Context) error {
	pending, err := m.pending(ctx)
	if err != nil || len(pending) == 0 {
		return err
	}
	if m.db.Postgres {
		return m.migratePostgres(ctx)
	}
	for _, one := range pending {
		if err := m.migrateSQLite(ctx, one); err != nil {
			return fmt.Errorf("migrate to %d: %w", one.version, err)
		}
	}
	return nil
}

// pending are the migrations that are not complete.
func (m *migrator) pending(ctx context.Context) ([]Migration, error) {
	rows, err := m.db.versionRows(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	known := m.db.Migrations
	if err := checkNewer(rows, len(known)); err != nil {
		return nil, err
	}
	return known[min(applied(rows), len(known)):], nil
}

const (
	createVersions = `CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER PRIMARY KEY,
		applied_at INTEGER NOT NULL, compatible_from INTEGER NOT NULL DEFAULT 0) STRICT`
	addCompatibleFrom = "ALTER TABLE schema_versions ADD COLUMN compatible_from INTEGER NOT NULL DEFAULT 0"
)

// migrateSQLite runs a migration in one transaction. Other processes wait for it.
func (m *migrator) migrateSQLite(ctx context.Context, one Migration) error {
	steps := one.steps(false)
	begun := time.Now()
	ran := false
	err := m.untilFree(ctx, fmt.Sprintf("version %d", one.version), func() error {
		return m.db.Tx(ctx, func(tx Database) error {
			var err error
			ran, err = m.migrateInTx(ctx, tx, one, steps)
			return err
		})
	})
	if ran && err == nil {
		m.progress(fmt.Sprintf("version %d, %s: statements 1 to %d  %s",
			one.version, one.name, len(steps), since(begun)))
	}
	return err
}

// migrateInTx runs a migration and stores its version. It returns false when another process has done that meanwhile.
func (m *migrator) migrateInTx(ctx context.Context, tx Database, one Migration, steps []step) (ran bool, err error) {
	if _, err := tx.Exec(ctx, createVersions); err != nil {
		return false, err
	}
	columns, err := tx.versionColumns(ctx)
	if err != nil {
		return false, err
	}
	if columns == 1 {
		if _, err := tx.Exec(ctx, addCompatibleFrom); err != nil {
			return false, err
		}
	}
	rows, err := tx.versionRows(ctx)
	if err != nil || applied(rows) >= one.version {
		return false, err
	}
	for i, s := range steps {
		if _, err := tx.Exec(ctx, s.sql); err != nil {
			return false, fmt.Errorf("statement %d: %w", i+1, err)
		}
		if err := m.reached(fmt.Sprintf("%d.%d executed", one.version, i+1)); err != nil {
			return false, err
		}
	}
	_, err = tx.Exec(ctx, "INSERT INTO schema_versions (version, applied_at, compatible_from) VALUES (?, ?, ?)",
		one.version, time.Now().UnixMilli(), one.compatibleFrom)
	return true, err
}

// untilFree runs f, and runs it again while it fails because others use the same tables. It reports once that it waits.
func (m *migrator) untilFree(ctx context.Context, what string, f func() error) error {
	until := time.Now().Add(Patience)
	for reported := false; ; reported = true {
		err := f()
		if err == nil || !isTemporary(err) || !errors.Is(err, errBeingBuilt) && time.Now().After(until) {
			return err
		}
		if !reported {
			m.progress(fmt.Sprintf("%s  waiting: %s", what, waitReason(err)))
		}
		if err := pause(ctx, Pause); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}

// isTemporary says whether a statement of a migration failed for a reason that goes away by itself.
func isTemporary(err error) bool { return waitReason(err) != "" }

// waitReason says for people why a statement of a migration has to wait, "" when waiting does not help.
func waitReason(err error) string {
	switch {
	case errors.Is(err, errBeingBuilt):
		return errBeingBuilt.Error()
	case errors.Is(err, errRaced):
		return errRaced.Error()
	case locked(err):
		return "another process is writing"
	}
	if postgres := new(pgconn.PgError); errors.As(err, &postgres) {
		switch postgres.Code {
		case "55P03": // lock_not_available
			return "another transaction uses the same table"
		case "40P01", "40001": // deadlock_detected, serialization_failure
			return "another transaction collided with it"
		}
	}
	return ""
}

// locked says whether SQLite gave up waiting for another process's write lock.
func locked(err error) bool {
	lite := sqlite3.Error{}
	return errors.As(err, &lite) && (lite.Code == sqlite3.ErrBusy || lite.Code == sqlite3.ErrLocked)
}

// shortened is the first line of a statement.
func shortened(statement string) string {
	line, _, _ := strings.Cut(statement, "\n")
	return strings.TrimSuffix(line, " (")
}

func since(begun time.Time) string { return time.Since(begun).Round(100 * time.Microsecond).String() }
