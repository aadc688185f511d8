package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jmoiron/sqlx"
)

// migratePostgres runs each statement of the pending migrations in a transaction of its own, or outside of any where
// that keeps others from waiting, and notes it in schema_steps.
func (m *migrator) migratePostgres(ctx context.Context) error {
	if m.db.Pool.Stats().MaxOpenConnections == 1 { // one connection holds the lock, the other one runs the statements
		m.db.Pool.SetMaxOpenConns(2)
		defer m.db.Pool.SetMaxOpenConns(1)
	}
	if err := m.makeTables(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	release, err := m.lock(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer release()
	columns, err := m.db.versionColumns(ctx)
	if err == nil && columns == 1 {
		err = m.untilFree(ctx, "schema_versions", func() error {
			return m.inTransaction(ctx, func(tx *sqlx.Tx) error {
				_, err := tx.ExecContext(ctx, dialect(addCompatibleFrom, true))
				return err
			})
		})
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	pending, err := m.pending(ctx) // another process may have migrated meanwhile
	if err != nil {
		return err
	}
	for _, one := range pending {
		if err := m.migrateSteps(ctx, one); err != nil {
			return fmt.Errorf("migrate to %d: %w", one.version, err)
		}
	}
	return nil
}

// makeTables makes the tables that migrating itself needs. When several processes do this at the same time, Postgres
// gives all but one of them an error, in spite of IF NOT EXISTS. They try again.
func (m *migrator) makeTables(ctx context.Context) error {
	for _, statement := range []string{
		createVersions,
		`CREATE TABLE IF NOT EXISTS schema_steps (version INTEGER NOT NULL, step INTEGER NOT NULL,
			PRIMARY KEY (version, step))`,
		`CREATE TABLE IF NOT EXISTS schema_lock (id INTEGER NOT NULL, PRIMARY KEY (id))`,
		`INSERT INTO schema_lock (id) VALUES (1) ON CONFLICT DO NOTHING`,
	} {
		err := m.untilFree(ctx, "the tables of the schema's versions", func() error {
			_, err := m.db.Pool.ExecContext(ctx, dialect(statement, true))
			return raced(err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lock waits until no other process migrates. It holds a row in a transaction of its own: Postgres frees it when this
// process dies. An advisory lock would not work in distributed databases. At READ COMMITTED the transaction holds no
// snapshot between its statements, so it does not keep CREATE INDEX CONCURRENTLY waiting.
func (m *migrator) lock(ctx context.Context) (release func(), err error) {
	for reported := false; ; reported = true {
		tx, err := m.db.Pool.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
		if err != nil {
			return nil, err
		}
		_, err = tx.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0")
		if err == nil {
			_, err = tx.ExecContext(ctx, "SELECT id FROM schema_lock WHERE id = 1 FOR UPDATE NOWAIT")
		}
		if err == nil {
			return func() { _ = tx.Rollback() }, nil
		}
		_ = tx.Rollback()
		if !isTemporary(err) {
			return nil, err
		}
		if !reported {
			m.progress("waiting: another process is migrating this database")
		}
		if err := pause(ctx, migrationPoll); err != nil {
			return nil, err
		}
	}
}

// migrationPoll is how often a process looks whether another one has finished.
const migrationPoll = 200 * time.Millisecond

// migrateSteps runs what is left of a migration. It writes the version down before the first statement, so that older
// programs that are not compatible with it stop using the database first. If no statement succeeds, they may use it
// again.
func (m *migrator) migrateSteps(ctx context.Context, one Migration) (err error) {
	defer func() {
		if err != nil {
			m.withdraw(ctx, one)
		}
	}()
	_, err = m.db.Exec(ctx, `INSERT INTO schema_versions (version, applied_at, compatible_from) VALUES (?, 0, ?)
		ON CONFLICT (version) DO NOTHING`, one.version, one.compatibleFrom)
	if err != nil {
		return err
	}
	if err := m.reached(fmt.Sprintf("%d begun", one.version)); err != nil {
		return err
	}
	done, err := m.db.stepsDone(ctx)
	if err != nil {
		return err
	}
	for i, s := range one.steps(true) {
		key := stepKey{one.version, i + 1}
		if done[key] {
			continue
		}
		begun := time.Now()
		run := m.runInTransaction
		if s.index != "" {
			run = m.runConcurrently
		}
		if err := run(ctx, key, s); err != nil {
			return fmt.Errorf("statement %d: %w", key.Step, err)
		}
		m.progress(fmt.Sprintf("%s  %s  %s", key, shortened(s.sql), since(begun)))
		if err := m.reached(key.String() + " noted"); err != nil {
			return err
		}
	}
	_, err = m.db.Exec(ctx, "UPDATE schema_versions SET applied_at = ? WHERE version = ? AND applied_at = 0",
		time.Now().UnixMilli(), one.version)
	return err
}

// withdraw removes the row of a version of which no statement is done. If that fails too, the next start completes the
// version.
func (m *migrator) withdraw(ctx context.Context, one Migration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTime)
	defer cancel()
	_, _ = m.db.Exec(ctx, `DELETE FROM schema_versions WHERE version = ? AND applied_at = 0
		AND NOT EXISTS (SELECT 1 FROM schema_steps WHERE version = ?)`, one.version, one.version)
}

// withdrawTime is how long withdraw may take. A program that was asked to stop waits for it.
const withdrawTime = 2 * time.Second

// stepKey is a row of schema_steps: a statement of a migration that was done. Rows of complete migrations stay, so that
// a process which has lost its lock does no statement again.
type stepKey struct {
	Version, Step int
}

func (k stepKey) String() string { return fmt.Sprintf("%d.%d", k.Version, k.Step) }

const noteStep = "INSERT INTO schema_steps (version, step) VALUES (?, ?) ON CONFLICT DO NOTHING"

func (db Database) stepsDone(ctx context.Context) (map[stepKey]bool, error) {
	if !db.Postgres {
		return nil, nil
	}
	n, err := db.count(ctx, `SELECT COUNT(*) FROM information_schema.tables
		WHERE table_schema = current_schema() AND table_name = 'schema_steps'`)
	if err != nil || n == 0 {
		return nil, err
	}
	var keys []stepKey
	if err := db.List(ctx, &keys, "SELECT version, step FROM schema_steps"); err != nil {
		return nil, err
	}
	done := map[stepKey]bool{}
	for _, key := range keys {
		done[key] = true
	}
	return done, nil
}

// runInTransaction runs and notes a statement in one transaction. It notes first: if another process runs the same
// statement, one of the two waits and then finds it done.
func (m *migrator) runInTransaction(ctx context.Context, key stepKey, s step) error {
	return m.untilFree(ctx, key.String()+"  "+shortened(s.sql), func() error {
		return m.inTransaction(ctx, func(tx *sqlx.Tx) error {
			result, err := tx.ExecContext(ctx, tx.Rebind(noteStep), key.Version, key.Step)
			if err != nil {
				return err
			}
			if n, err := result.RowsAffected(); err != nil || n == 0 {
				return err
			}
			if _, err := tx.ExecContext(ctx, s.sql); err != nil {
				return err
			}
			return m.reached(key.String() + " executed")
		})
	})
}

// inTransaction runs f with limited waits for locks.
func (m *migrator) inTransaction(ctx context.Context, f func(tx *sqlx.Tx) error) error {
	tx, err := m.db.Pool.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, setting := range []string{
		fmt.Sprintf("SET LOCAL lock_timeout = %d", LockTime.Milliseconds()),
		"SET LOCAL statement_timeout = 0",
	} {
		if _, err := tx.ExecContext(ctx, setting); err != nil {
			return err
		}
	}
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// runConcurrently builds or drops an index outside a transaction, so that others can read and write the table
// meanwhile. A build that was killed leaves an invalid index, which is dropped first.
func (m *migrator) runConcurrently(ctx context.Context, key stepKey, s step) error {
	err := m.untilFree(ctx, key.String()+"  "+shortened(s.sql), func() error {
		state, err := m.indexState(ctx, s.index)
		if err != nil {
			return err
		}
		switch {
		case s.drops && state == indexAbsent, !s.drops && state == indexValid:
			return nil
		case !s.drops && state == indexBuilding:
			return errBeingBuilt
		case !s.drops && state == indexInvalid:
			m.progress(fmt.Sprintf("%s  dropping %s, which an interrupted build has left", key, s.index))
			if _, err := m.db.Pool.ExecContext(ctx, "DROP INDEX CONCURRENTLY IF EXISTS "+s.index); err != nil {
				return err
			}
		}
		_, err = m.db.Pool.ExecContext(ctx, s.sql)
		return raced(err)
	})
	if err == nil {
		err = m.reached(key.String() + " executed")
	}
	if err == nil {
		_, err = m.db.Exec(ctx, noteStep, key.Version, key.Step)
	}
	return err
}

const (
	indexAbsent   = "absent"
	indexValid    = "valid"
	indexInvalid  = "invalid"
	indexBuilding = "being built"
)

func (m *migrator) indexState(ctx context.Context, name string) (string, error) {
	var found []struct{ Valid, Building bool }
	err := m.db.List(ctx, &found, `SELECT i.indisvalid AS valid, EXISTS (SELECT 1 FROM pg_stat_progress_create_index b
			WHERE b.datname = current_database() AND b.index_relid = i.indexrelid) AS building
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relname = ?`, name)
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return indexAbsent, nil
	case found[0].Valid:
		return indexValid, nil
	case found[0].Building:
		return indexBuilding, nil
	}
	return indexInvalid, nil
}

var (
	// errBeingBuilt says that the connection of a process that was killed still builds the index. It may take hours.
	errBeingBuilt = errors.New("another connection still builds the index")
	errRaced      = errors.New("another process creates the same table or index")
)

// raced returns errRaced for the errors that Postgres gives when another process creates the same table or index at the
// same time, and any other error unchanged.
func raced(err error) error {
	postgres := new(pgconn.PgError)
	if !errors.As(err, &postgres) {
		return err
	}
	switch {
	case postgres.Code == "42P07", postgres.Code == "42710", // duplicate_table, duplicate_object
		postgres.Code == "23505" && strings.HasPrefix(postgres.ConstraintName, "pg_"): // unique_violation of a catalog
		return fmt.Errorf("%w: %w", errRaced, err)
	}
	return err
}
