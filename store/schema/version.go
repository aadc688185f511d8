// Package schema has the files of the schema's versions and migrates a database to the version of this program.
package schema

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// ErrNoDatabase says that there is no database, or that it has no tables because nobody has migrated it.
var ErrNoDatabase = errors.New("store: there is no database here; run portico migrate")

// ErrOlder says that the database has not been migrated to this program's version.
var ErrOlder = errors.New("store: the database is older than this program; run portico migrate")

// ErrNewer says that a newer program migrated the database, and that the new schema is not compatible with this
// program.
var ErrNewer = errors.New("store: the database is newer than this program")

// Database is the database whose schema is read or migrated, with the functions of the store that run statements. In
// their queries every ? is a placeholder.
type Database struct {
	Postgres   bool
	Pool       *sqlx.DB    // of connections that write
	Migrations []Migration // of this program

	// Exec runs a statement and returns how many rows it changed.
	Exec func(ctx context.Context, query string, args ...any) (changed int64, err error)
	// List reads all rows into dest, a pointer to a slice.
	List func(ctx context.Context, dest any, query string, args ...any) error
	// Tx runs f in one transaction, perhaps several times.
	Tx func(ctx context.Context, f func(tx Database) error) error
}

// count reads one number.
func (db Database) count(ctx context.Context, query string) (int, error) {
	var found []int
	if err := db.List(ctx, &found, query); err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0], nil
}

// versionRow is a row of schema_versions.
type versionRow struct {
	Version int
	// AppliedAt is in Unix milliseconds, 0 while the migration is not complete. Only Postgres has such rows.
	AppliedAt int64 `db:"applied_at"`
	// CompatibleFrom is 0 when the row was written by a program that did not know the column.
	CompatibleFrom int `db:"compatible_from"`
}

// versionRows reads schema_versions in order. Without such a table there are no rows.
func (db Database) versionRows(ctx context.Context) ([]versionRow, error) {
	columns, err := db.versionColumns(ctx)
	if err != nil || columns == 0 {
		return nil, err
	}
	query := "SELECT version, applied_at, compatible_from FROM schema_versions ORDER BY version"
	if columns == 1 { // written by a program that did not know compatible_from
		query = "SELECT version, applied_at, 0 AS compatible_from FROM schema_versions ORDER BY version"
	}
	var rows []versionRow
	err = db.List(ctx, &rows, query)
	return rows, err
}

// versionColumns returns 0 when there is no table schema_versions, 1 when it has no column compatible_from, and else 2.
func (db Database) versionColumns(ctx context.Context) (int, error) {
	query := "SELECT COUNT(*) FROM pragma_table_info('schema_versions') WHERE name IN ('version', 'compatible_from')"
	if db.Postgres {
		query = `SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = current_schema()
			AND table_name = 'schema_versions' AND column_name IN ('version', 'compatible_from')`
	}
	return db.count(ctx, query)
}

// Version returns the version of the database's schema, 0 if it has none.
func (db Database) Version(ctx context.Context) (int, error) {
	rows, err := db.versionRows(ctx)
	return applied(rows), err
}

func applied(rows []versionRow) int {
	version := 0
	for _, row := range rows {
		if row.AppliedAt > 0 {
			version = row.Version
		}
	}
	return version
}

// Check returns nil when this program can work with the schema: it is at the version that the program knows, and
// all newer versions say that they are compatible with it. ErrNoDatabase, ErrOlder, ErrNewer.
func (db Database) Check(ctx context.Context) error {
	known := len(db.Migrations)
	rows, err := db.versionRows(ctx)
	if err != nil {
		return err
	}
	if err := checkNewer(rows, known); err != nil {
		return err
	}
	switch current := applied(rows); {
	case current == 0:
		return ErrNoDatabase
	case current < known:
		return fmt.Errorf("%w: it is at version %d, this program needs %d", ErrOlder, current, known)
	}
	return nil
}

// checkNewer returns ErrNewer when a version that this program does not know is not compatible with it. A version
// whose migration has begun counts: its first statement may already break the program.
func checkNewer(rows []versionRow, known int) error {
	for _, row := range rows {
		if !usable(row.Version, row.CompatibleFrom, known) {
			return fmt.Errorf("%w: it is at version %d, this program knows %d", ErrNewer, row.Version, known)
		}
	}
	return nil
}

// usable says whether a program that knows versions up to known can work with a schema at a version.
func usable(version, compatibleFrom, known int) bool {
	return version <= known || compatibleFrom > 0 && compatibleFrom <= known
}

// VersionState is one version of the schema, of this program or of the database.
type VersionState struct {
	Version        int
	Name           string // "" for a version that this program does not know
	AppliedAt      int64  // Unix milliseconds, 0 while it is not complete
	Begun          bool   // complete or half done
	CompatibleFrom int    // 0 when the program that applied it did not say
	Known          int    // the version that this program knows
	Steps          []StepState
}

// Usable says whether this program can work with a schema at that version.
func (v VersionState) Usable() bool { return usable(v.Version, v.CompatibleFrom, v.Known) }

// StepState is one statement of a version that this program knows.
type StepState struct {
	SQL    string
	Effect string // on other users of the database while it runs
	Done   bool
}

// Versions returns all versions, those of this program and newer ones of the database. It creates and changes nothing.
func (db Database) Versions(ctx context.Context) ([]VersionState, error) {
	rows, err := db.versionRows(ctx)
	if err != nil {
		return nil, err
	}
	done, err := db.stepsDone(ctx)
	return versionStates(db.Migrations, rows, done, db.Postgres), err
}

// Unapplied returns the versions of this program for a database that does not exist.
func Unapplied(known []Migration) []VersionState { return versionStates(known, nil, nil, false) }

func versionStates(known []Migration, rows []versionRow, done map[stepKey]bool, postgres bool) []VersionState {
	states := make([]VersionState, 0, len(known))
	for _, m := range known {
		state := VersionState{Version: m.version, Name: m.name, CompatibleFrom: m.compatibleFrom, Known: len(known)}
		for i, s := range m.steps(postgres) {
			isDone := done[stepKey{m.version, i + 1}]
			state.Steps = append(state.Steps, StepState{SQL: s.sql, Effect: s.effect, Done: isDone})
		}
		states = append(states, state)
	}
	for _, row := range rows {
		at := row.Version - 1
		if row.Version > len(known) {
			states = append(states, VersionState{Version: row.Version, Known: len(known)})
			at = len(states) - 1
		}
		states[at].AppliedAt = row.AppliedAt
		states[at].Begun = true
		states[at].CompatibleFrom = row.CompatibleFrom
	}
	return states
}
